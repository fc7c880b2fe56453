# when the epochs of a producer id are used up, the end of a transaction gives a new id
> A inits
  A inits: ok 1000/0
  + T Empty 1000/0 []
  info: transaction changes: a producer began
> set producer epochs-used-up
  + T Empty 1000/32766 []
> A adds t-0
  A adds: ok
  + T Ongoing 1000/32766 [t-0] client 2
> A commits
  A commits: ok 1001/0
  + T PrepareCommit 1000/32767 [t-0] next 1001 client 2
  marker to t-0: commit 1000/32767 of term 0, version 2
> A adds t-0
  A adds: CONCURRENT_TRANSACTIONS
> A adds t-0 as=1001/0
  A adds: CONCURRENT_TRANSACTIONS
> partitions answer
  + T CompleteCommit 1001/0 [] before 1000 client 2
> A adds t-0
  A adds: ok
  + T Ongoing 1001/0 [t-0] client 2

# the end that gave a new id can be repeated under the old one
> A inits
  A inits: ok 1000/0
  + T Empty 1000/0 []
  info: transaction changes: a producer began
> set producer epochs-used-up
  + T Empty 1000/32766 []
> A adds t-0
  A adds: ok
  + T Ongoing 1000/32766 [t-0] client 2
> A commits
  A commits: ok 1001/0
  + T PrepareCommit 1000/32767 [t-0] next 1001 client 2
  marker to t-0: commit 1000/32767 of term 0, version 2
> partitions answer
  + T CompleteCommit 1001/0 [] before 1000 client 2
> A commits as=1000/32766
  A commits: ok 1001/0
> A aborts as=1000/32766
  A aborts: INVALID_TXN_STATE
> A commits as=1000/32765
  A commits: INVALID_PRODUCER_ID_MAPPING
> A adds t-0
  A adds: ok
  + T Ongoing 1001/0 [t-0] client 2
> A commits as=1000/32766
  A commits: INVALID_PRODUCER_ID_MAPPING

# an abort with nothing open gives a new id, too
> A inits
  A inits: ok 1000/0
  + T Empty 1000/0 []
  info: transaction changes: a producer began
> set producer epochs-used-up
  + T Empty 1000/32766 []
> A aborts
  A aborts: ok 1001/0
  + T PrepareAbort 1000/32767 [] next 1001 client 2
  + T CompleteAbort 1001/0 [] before 1000 client 2
> A aborts as=1000/32766
  A aborts: ok 1001/0

# without a producer id at hand the end has to wait
> A inits
  A inits: ok 1000/0
  + T Empty 1000/0 []
  info: transaction changes: a producer began
> set producer epochs-used-up
  + T Empty 1000/32766 []
> A adds t-0
  A adds: ok
  + T Ongoing 1000/32766 [t-0] client 2
> ids none
> A commits
  A commits: COORDINATOR_LOAD_IN_PROGRESS
> ids 2000
> A commits
  A commits: ok 2000/0
  + T PrepareCommit 1000/32767 [t-0] next 2000 client 2
  marker to t-0: commit 1000/32767 of term 0, version 2

# a new owner gets a new producer id
> A inits
  A inits: ok 1000/0
  + T Empty 1000/0 []
  info: transaction changes: a producer began
> set producer epochs-used-up
  + T Empty 1000/32766 []
> B inits
  B inits: ok 1001/0
  + T Empty 1001/0 [] before 1000
  info: transaction changes: a producer began
> A adds t-0
  A adds: INVALID_PRODUCER_ID_MAPPING
> B adds t-0
  B adds: ok
  + T Ongoing 1001/0 [t-0] client 2

# so does an owner that goes on, and may ask again under the old id
> A inits
  A inits: ok 1000/0
  + T Empty 1000/0 []
  info: transaction changes: a producer began
> set producer epochs-used-up
  + T Empty 1000/32766 []
> A inits again=yes
  A inits: ok 1001/0
  + T Empty 1001/0 [] before 1000
  info: transaction changes: its producer goes on
> A inits as=1000/32766
  A inits: ok 1001/0
  + T Empty 1001/0 []
> A adds t-0
  A adds: ok
  + T Ongoing 1001/0 [t-0] client 2

# fencing takes the last epoch of all, which no client has; the next owner gets a new producer id
> feature 1
> A inits
  A inits: ok 1000/0
  + T Empty 1000/0 []
  info: transaction changes: a producer began
> set producer epochs-used-up
  + T Empty 1000/32766 []
> A adds t-0 version=0
  A adds: ok
  + T Ongoing 1000/32766 [t-0]
> B inits
  B inits: CONCURRENT_TRANSACTIONS
  + T PrepareAbort 1000/32767 [t-0]
  marker to t-0: abort 1000/32767 of term 0, version 0
  info: transaction changes, Ongoing to PrepareAbort: a producer began anew while it was open
> partitions answer
  + T CompleteAbort 1000/32767 []
> A inits as=1000/32766
  A inits: PRODUCER_FENCED
> B inits
  B inits: ok 1001/0
  + T Empty 1001/0 [] before 1000
  info: transaction changes, CompleteAbort to Empty: a producer began

# under version 2 fencing itself leads to a new producer id
> A inits
  A inits: ok 1000/0
  + T Empty 1000/0 []
  info: transaction changes: a producer began
> set producer epochs-used-up
  + T Empty 1000/32766 []
> A adds t-0
  A adds: ok
  + T Ongoing 1000/32766 [t-0] client 2
> B inits
  B inits: CONCURRENT_TRANSACTIONS
  + T PrepareAbort 1000/32767 [t-0] next 1001 client 2
  marker to t-0: abort 1000/32767 of term 0, version 2
  info: transaction changes, Ongoing to PrepareAbort: a producer began anew while it was open
> partitions answer
  + T CompleteAbort 1001/0 [] before 1000 client 2
> B inits
  B inits: ok 1001/1
  + T Empty 1001/1 [] client 2
  info: transaction changes, CompleteAbort to Empty: a producer began
> A inits as=1000/32766
  A inits: PRODUCER_FENCED
> A commits as=1000/32766
  A commits: INVALID_PRODUCER_ID_MAPPING

# a transaction that cannot be fenced for want of a producer id is aborted as soon as there is one
> A inits
  A inits: ok 1000/0
  + T Empty 1000/0 []
  info: transaction changes: a producer began
> set producer epochs-used-up
  + T Empty 1000/32766 []
> A adds t-0
  A adds: ok
  + T Ongoing 1000/32766 [t-0] client 2
> ids none
> B inits
  B inits: COORDINATOR_LOAD_IN_PROGRESS
> time 2min
> ids 3000
> time 10s
  + T PrepareAbort 1000/32767 [t-0] next 3000 client 2
  marker to t-0: abort 1000/32767 of term 0, version 2
  info: transaction changes, Ongoing to PrepareAbort: it was open for longer than its timeout of 60000 ms
