# version 2: a repeated commit is answered with the producer's new epoch
> A inits
  A inits: ok 1000/0
  + T Empty 1000/0 []
  info: transaction changes: a producer began
> A adds t-0
  A adds: ok
  + T Ongoing 1000/0 [t-0] client 2
> A commits
  A commits: ok 1000/1
  + T PrepareCommit 1000/1 [t-0] client 2
  marker to t-0: commit 1000/1 of term 0, version 2
> A commits as=1000/0
  A commits: CONCURRENT_TRANSACTIONS
> partitions answer
  + T CompleteCommit 1000/1 [] client 2
> A commits as=1000/0
  A commits: ok 1000/1
> A commits as=1000/0
  A commits: ok 1000/1
> A adds t-0
  A adds: ok
  + T Ongoing 1000/1 [t-0] client 2

# version 2: a repeated abort likewise
> A inits
  A inits: ok 1000/0
  + T Empty 1000/0 []
  info: transaction changes: a producer began
> A adds t-0
  A adds: ok
  + T Ongoing 1000/0 [t-0] client 2
> A aborts
  A aborts: ok 1000/1
  + T PrepareAbort 1000/1 [t-0] client 2
  marker to t-0: abort 1000/1 of term 0, version 2
> partitions answer
  + T CompleteAbort 1000/1 [] client 2
> A aborts as=1000/0
  A aborts: ok 1000/1

# version 2: the other end of what has ended is refused
> A inits
  A inits: ok 1000/0
  + T Empty 1000/0 []
  info: transaction changes: a producer began
> A adds t-0
  A adds: ok
  + T Ongoing 1000/0 [t-0] client 2
> A commits
  A commits: ok 1000/1
  + T PrepareCommit 1000/1 [t-0] client 2
  marker to t-0: commit 1000/1 of term 0, version 2
> partitions answer
  + T CompleteCommit 1000/1 [] client 2
> A aborts as=1000/0
  A aborts: INVALID_TXN_STATE
> A commits
  A commits: INVALID_TXN_STATE
> A aborts
  A aborts: ok 1000/2
  + T PrepareAbort 1000/2 [] client 2
  + T CompleteAbort 1000/2 [] client 2
> A commits as=1000/1
  A commits: INVALID_TXN_STATE
> A aborts as=1000/1
  A aborts: ok 1000/2
> A commits
  A commits: INVALID_TXN_STATE

# version 2: nothing is open, so nothing can be committed
> A inits
  A inits: ok 1000/0
  + T Empty 1000/0 []
  info: transaction changes: a producer began
> A commits
  A commits: INVALID_TXN_STATE
> A commits as=999/0
  A commits: INVALID_PRODUCER_ID_MAPPING
> A commits as=1000/7
  A commits: PRODUCER_FENCED

# version 2: an end from two epochs ago is fenced
> A inits
  A inits: ok 1000/0
  + T Empty 1000/0 []
  info: transaction changes: a producer began
> A adds t-0
  A adds: ok
  + T Ongoing 1000/0 [t-0] client 2
> A commits
  A commits: ok 1000/1
  + T PrepareCommit 1000/1 [t-0] client 2
  marker to t-0: commit 1000/1 of term 0, version 2
> partitions answer
  + T CompleteCommit 1000/1 [] client 2
> A adds t-0
  A adds: ok
  + T Ongoing 1000/1 [t-0] client 2
> A commits
  A commits: ok 1000/2
  + T PrepareCommit 1000/2 [t-0] client 2
  marker to t-0: commit 1000/2 of term 0, version 2
> partitions answer
  + T CompleteCommit 1000/2 [] client 2
> A commits as=1000/0
  A commits: PRODUCER_FENCED
> A aborts as=1000/0
  A aborts: PRODUCER_FENCED

# version 2: while the next transaction is open, a late end of the one before does nothing to it
> A inits
  A inits: ok 1000/0
  + T Empty 1000/0 []
  info: transaction changes: a producer began
> A adds t-0
  A adds: ok
  + T Ongoing 1000/0 [t-0] client 2
> A commits
  A commits: ok 1000/1
  + T PrepareCommit 1000/1 [t-0] client 2
  marker to t-0: commit 1000/1 of term 0, version 2
> partitions answer
  + T CompleteCommit 1000/1 [] client 2
> A adds u-0
  A adds: ok
  + T Ongoing 1000/1 [u-0] client 2
> A aborts as=1000/0
  A aborts: PRODUCER_FENCED
> A commits as=1000/0
  A commits: PRODUCER_FENCED
> A describes
  A describes: Ongoing 1000/1 [u-0] timeout 60000, began once

# version 1: a repeated end is answered as the first one was
> A inits
  A inits: ok 1000/0
  + T Empty 1000/0 []
  info: transaction changes: a producer began
> A adds t-0 version=0
  A adds: ok
  + T Ongoing 1000/0 [t-0]
> A commits version=0
  A commits: ok
  + T PrepareCommit 1000/0 [t-0]
  marker to t-0: commit 1000/0 of term 0, version 0
> partitions answer
  + T CompleteCommit 1000/0 []
> A commits version=0
  A commits: ok
> A aborts version=0
  A aborts: INVALID_TXN_STATE
> A adds t-0 version=0
  A adds: ok
  + T Ongoing 1000/0 [t-0]
> A aborts version=0
  A aborts: ok
  + T PrepareAbort 1000/0 [t-0]
  marker to t-0: abort 1000/0 of term 0, version 0
> partitions answer
  + T CompleteAbort 1000/0 []
> A aborts version=0
  A aborts: ok
> A commits version=0
  A commits: INVALID_TXN_STATE

# version 1: nothing is open, so nothing can end
> A inits
  A inits: ok 1000/0
  + T Empty 1000/0 []
  info: transaction changes: a producer began
> A commits version=0
  A commits: INVALID_TXN_STATE
> A aborts version=0
  A aborts: INVALID_TXN_STATE
> A commits version=0 as=999/0
  A commits: INVALID_PRODUCER_ID_MAPPING
> A commits version=0 as=1000/7
  A commits: PRODUCER_FENCED

# version 1: a late end of the transaction before ends the one that is open (Kafka has that, too)
> A inits
  A inits: ok 1000/0
  + T Empty 1000/0 []
  info: transaction changes: a producer began
> A adds t-0 version=0
  A adds: ok
  + T Ongoing 1000/0 [t-0]
> A commits version=0
  A commits: ok
  + T PrepareCommit 1000/0 [t-0]
  marker to t-0: commit 1000/0 of term 0, version 0
> partitions answer
  + T CompleteCommit 1000/0 []
> A adds u-0 version=0
  A adds: ok
  + T Ongoing 1000/0 [u-0]
> A commits version=0
  A commits: ok
  + T PrepareCommit 1000/0 [u-0]
  marker to u-0: commit 1000/0 of term 0, version 0
> partitions answer
  + T CompleteCommit 1000/0 []

# partitions that were added before are answered without a record
> A inits
  A inits: ok 1000/0
  + T Empty 1000/0 []
  info: transaction changes: a producer began
> A adds t-0 t-1
  A adds: ok
  + T Ongoing 1000/0 [t-0 t-1] client 2
> A adds t-1 t-0
  A adds: ok
> A adds t-1 t-2
  A adds: ok
  + T Ongoing 1000/0 [t-0 t-1 t-2] client 2
