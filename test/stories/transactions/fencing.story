# who takes an id over fences whoever had it
> A inits
  A inits: ok 1000/0
  + T Empty 1000/0 []
  info: transaction changes: a producer began
> A adds t-0
  A adds: ok
  + T Ongoing 1000/0 [t-0] client 2
> B inits
  B inits: CONCURRENT_TRANSACTIONS
  + T PrepareAbort 1000/1 [t-0] client 2
  marker to t-0: abort 1000/1 of term 0, version 2
  info: transaction changes, Ongoing to PrepareAbort: a producer began anew while it was open
> partitions answer
  + T CompleteAbort 1000/1 [] client 2
> B inits
  B inits: ok 1000/2
  + T Empty 1000/2 [] client 2
  info: transaction changes, CompleteAbort to Empty: a producer began
> A adds t-1
  A adds: PRODUCER_FENCED
> A verifies t-0
  A verifies: PRODUCER_FENCED
> A commits
  A commits: PRODUCER_FENCED
> A aborts
  A aborts: PRODUCER_FENCED
> A adds t-1 version=0
  A adds: PRODUCER_FENCED
> A commits version=0
  A commits: PRODUCER_FENCED
> A inits again=yes
  A inits: PRODUCER_FENCED
> B adds t-0
  B adds: ok
  + T Ongoing 1000/2 [t-0] client 2

# the same while the feature is at version 1
> feature 1
> A inits
  A inits: ok 1000/0
  + T Empty 1000/0 []
  info: transaction changes: a producer began
> A adds t-0 version=0
  A adds: ok
  + T Ongoing 1000/0 [t-0]
> B inits
  B inits: CONCURRENT_TRANSACTIONS
  + T PrepareAbort 1000/1 [t-0]
  marker to t-0: abort 1000/1 of term 0, version 0
  info: transaction changes, Ongoing to PrepareAbort: a producer began anew while it was open
> partitions answer
  + T CompleteAbort 1000/1 []
> B inits
  B inits: ok 1000/2
  + T Empty 1000/2 []
  info: transaction changes, CompleteAbort to Empty: a producer began
> A adds t-1 version=0
  A adds: PRODUCER_FENCED
> A commits version=0
  A commits: PRODUCER_FENCED
> A aborts version=0
  A aborts: PRODUCER_FENCED
> A inits again=yes
  A inits: PRODUCER_FENCED
> B adds t-0 version=0
  B adds: ok
  + T Ongoing 1000/2 [t-0]

# taking over an idle id needs no abort
> A inits
  A inits: ok 1000/0
  + T Empty 1000/0 []
  info: transaction changes: a producer began
> B inits
  B inits: ok 1000/1
  + T Empty 1000/1 []
  info: transaction changes: a producer began
> A adds t-0
  A adds: PRODUCER_FENCED
> B adds t-0
  B adds: ok
  + T Ongoing 1000/1 [t-0] client 2

# a producer that goes on after an error gets the next epoch, and its own transaction is aborted
> A inits
  A inits: ok 1000/0
  + T Empty 1000/0 []
  info: transaction changes: a producer began
> A adds t-0
  A adds: ok
  + T Ongoing 1000/0 [t-0] client 2
> A inits again=yes
  A inits: CONCURRENT_TRANSACTIONS
  + T PrepareAbort 1000/1 [t-0] client 2
  marker to t-0: abort 1000/1 of term 0, version 2
  info: transaction changes, Ongoing to PrepareAbort: a producer began anew while it was open
> partitions answer
  + T CompleteAbort 1000/1 [] client 2
> A inits again=yes
  A inits: ok 1000/1
  + T Empty 1000/1 [] client 2
  info: transaction changes, CompleteAbort to Empty: its producer goes on
> A adds t-0
  A adds: ok
  + T Ongoing 1000/1 [t-0] client 2

# a producer that goes on while nothing is open gets the next epoch
> A inits
  A inits: ok 1000/0
  + T Empty 1000/0 []
  info: transaction changes: a producer began
> A inits again=yes
  A inits: ok 1000/1
  + T Empty 1000/1 []
  info: transaction changes: its producer goes on
> A inits again=yes
  A inits: ok 1000/2
  + T Empty 1000/2 []
  info: transaction changes: its producer goes on

# asking again after an answer that was lost fences nobody
> A inits
  A inits: ok 1000/0
  + T Empty 1000/0 []
  info: transaction changes: a producer began
> A inits again=yes
  A inits: ok 1000/1
  + T Empty 1000/1 []
  info: transaction changes: its producer goes on
> A inits as=1000/0
  A inits: ok 1000/1
  + T Empty 1000/1 []
> A inits as=1000/0
  A inits: ok 1000/1
  + T Empty 1000/1 []
> A adds t-0
  A adds: ok
  + T Ongoing 1000/1 [t-0] client 2

# unless somebody has begun anew since
> A inits
  A inits: ok 1000/0
  + T Empty 1000/0 []
  info: transaction changes: a producer began
> A inits again=yes
  A inits: ok 1000/1
  + T Empty 1000/1 []
  info: transaction changes: its producer goes on
> B inits
  B inits: ok 1000/2
  + T Empty 1000/2 []
  info: transaction changes: a producer began
> A inits as=1000/0
  A inits: PRODUCER_FENCED
> A inits as=1000/1
  A inits: PRODUCER_FENCED
> B adds t-0
  B adds: ok
  + T Ongoing 1000/2 [t-0] client 2

# an older epoch cannot abort what its successor has open
> A inits
  A inits: ok 1000/0
  + T Empty 1000/0 []
  info: transaction changes: a producer began
> B inits
  B inits: ok 1000/1
  + T Empty 1000/1 []
  info: transaction changes: a producer began
> B adds t-0
  B adds: ok
  + T Ongoing 1000/1 [t-0] client 2
> A inits again=yes
  A inits: PRODUCER_FENCED
> B commits
  B commits: ok 1000/2
  + T PrepareCommit 1000/2 [t-0] client 2
  marker to t-0: commit 1000/2 of term 0, version 2

# a producer id that was never this id's is fenced
> A inits
  A inits: ok 1000/0
  + T Empty 1000/0 []
  info: transaction changes: a producer began
> A inits as=77/0
  A inits: PRODUCER_FENCED
> A inits as=77/32766
  A inits: PRODUCER_FENCED

# an id that is new here takes any producer in, with an id of its own
> A inits as=77/5
  A inits: ok 1000/0
  + T Empty 1000/0 []
  info: transaction changes: its producer goes on

# an epoch from the future has no transaction
> A inits
  A inits: ok 1000/0
  + T Empty 1000/0 []
  info: transaction changes: a producer began
> A adds t-0
  A adds: ok
  + T Ongoing 1000/0 [t-0] client 2
> A adds t-1 as=1000/1
  A adds: PRODUCER_FENCED
> A commits as=1000/1
  A commits: PRODUCER_FENCED
> A commits as=1000/7
  A commits: PRODUCER_FENCED
> A aborts as=1000/1 version=0
  A aborts: PRODUCER_FENCED

# fencing is not undone by a coordinator that crashes before it is committed
> A inits
  A inits: ok 1000/0
  + T Empty 1000/0 []
  info: transaction changes: a producer began
> A adds t-0
  A adds: ok
  + T Ongoing 1000/0 [t-0] client 2
> log holds
> B inits
  + T PrepareAbort 1000/1 [t-0] client 2
  info: transaction changes, Ongoing to PrepareAbort: a producer began anew while it was open
> coordinator restarts
  B inits: refused, not-leader
> log commits
  marker to t-0: abort 1000/1 of term 1, version 2
> partitions answer
  + T CompleteAbort 1000/1 [] client 2
> B inits
  B inits: ok 1000/2
  + T Empty 1000/2 [] client 2
  info: transaction changes, CompleteAbort to Empty: a producer began

# without a producer id at hand a new id has to wait
> ids none
> A inits
  A inits: COORDINATOR_LOAD_IN_PROGRESS
> ids 500
> A inits
  A inits: ok 500/0
  + T Empty 500/0 []
  info: transaction changes: a producer began
