# a transaction that is open for too long is aborted, in an epoch that its producer does not have
> A inits timeout=30s
  A inits: ok 1000/0
  + T Empty 1000/0 []
  info: transaction changes: a producer began
> A adds t-0
  A adds: ok
  + T Ongoing 1000/0 [t-0] client 2
> time 25s
> time 15s
  + T PrepareAbort 1000/1 [t-0] client 2
  marker to t-0: abort 1000/1 of term 0, version 2
  info: transaction changes, Ongoing to PrepareAbort: it was open for longer than its timeout of 30000 ms
> partitions answer
  + T CompleteAbort 1000/1 [] client 2
> A commits
  A commits: INVALID_TXN_STATE
> A aborts
  A aborts: ok 1000/1
> A inits again=yes
  A inits: ok 1000/2
  + T Empty 1000/2 [] client 2
  info: transaction changes, CompleteAbort to Empty: its producer goes on
> A adds t-0
  A adds: ok
  + T Ongoing 1000/2 [t-0] client 2

# the same under version 1
> feature 1
> A inits timeout=30s
  A inits: ok 1000/0
  + T Empty 1000/0 []
  info: transaction changes: a producer began
> A adds t-0 version=0
  A adds: ok
  + T Ongoing 1000/0 [t-0]
> time 40s
  + T PrepareAbort 1000/1 [t-0]
  marker to t-0: abort 1000/1 of term 0, version 0
  info: transaction changes, Ongoing to PrepareAbort: it was open for longer than its timeout of 30000 ms
> partitions answer
  + T CompleteAbort 1000/1 []
> A commits version=0
  A commits: PRODUCER_FENCED
> A aborts version=0
  A aborts: PRODUCER_FENCED
> A adds t-1 version=0
  A adds: PRODUCER_FENCED
> A inits again=yes
  A inits: PRODUCER_FENCED

# under version 1 a producer goes on with the epoch after that of the coordinator
> feature 1
> A inits timeout=30s
  A inits: ok 1000/0
  + T Empty 1000/0 []
  info: transaction changes: a producer began
> A adds t-0 version=0
  A adds: ok
  + T Ongoing 1000/0 [t-0]
> time 40s
  + T PrepareAbort 1000/1 [t-0]
  marker to t-0: abort 1000/1 of term 0, version 0
  info: transaction changes, Ongoing to PrepareAbort: it was open for longer than its timeout of 30000 ms
> partitions answer
  + T CompleteAbort 1000/1 []
> B inits
  B inits: ok 1000/2
  + T Empty 1000/2 []
  info: transaction changes, CompleteAbort to Empty: a producer began
> B adds t-0 version=0
  B adds: ok
  + T Ongoing 1000/2 [t-0]

# every transaction has its own deadline
> A inits timeout=30s id=a
  A inits: ok 1000/0
  + a Empty 1000/0 []
  info: transaction changes: a producer began
> B inits timeout=50s id=b
  B inits: ok 1001/0
  + b Empty 1001/0 []
  info: transaction changes: a producer began
> A adds t-0 id=a
  A adds: ok
  + a Ongoing 1000/0 [t-0] client 2
> B adds t-1 id=b
  B adds: ok
  + b Ongoing 1001/0 [t-1] client 2
> time 40s
  + a PrepareAbort 1000/1 [t-0] client 2
  marker to t-0: abort 1000/1 of term 0, version 2
  info: transaction changes, Ongoing to PrepareAbort: it was open for longer than its timeout of 30000 ms
> time 10s
> time 10s
  + b PrepareAbort 1001/1 [t-1] client 2
  marker to t-1: abort 1001/1 of term 0, version 2
  info: transaction changes, Ongoing to PrepareAbort: it was open for longer than its timeout of 50000 ms

# adding partitions does not put it off, a new transaction does
> A inits timeout=30s
  A inits: ok 1000/0
  + T Empty 1000/0 []
  info: transaction changes: a producer began
> A adds t-0
  A adds: ok
  + T Ongoing 1000/0 [t-0] client 2
> time 20s
> A adds t-1
  A adds: ok
  + T Ongoing 1000/0 [t-0 t-1] client 2
> A commits
  A commits: ok 1000/1
  + T PrepareCommit 1000/1 [t-0 t-1] client 2
  marker to t-0: commit 1000/1 of term 0, version 2
  marker to t-1: commit 1000/1 of term 0, version 2
> partitions answer
  + T CompleteCommit 1000/1 [] client 2
> A adds t-0
  A adds: ok
  + T Ongoing 1000/1 [t-0] client 2
> time 20s
> A describes
  A describes: Ongoing 1000/1 [t-0] timeout 30000, began once
> time 21s
  + T PrepareAbort 1000/2 [t-0] client 2
  marker to t-0: abort 1000/2 of term 0, version 2
  info: transaction changes, Ongoing to PrepareAbort: it was open for longer than its timeout of 30000 ms

# nothing runs while nothing is open
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
> time 1h

# what ends in time is left alone
> A inits timeout=30s
  A inits: ok 1000/0
  + T Empty 1000/0 []
  info: transaction changes: a producer began
> A adds t-0
  A adds: ok
  + T Ongoing 1000/0 [t-0] client 2
> time 29s
> A commits
  A commits: ok 1000/1
  + T PrepareCommit 1000/1 [t-0] client 2
  marker to t-0: commit 1000/1 of term 0, version 2
> time 20s

# a new coordinator goes on with the deadline
> A inits timeout=30s
  A inits: ok 1000/0
  + T Empty 1000/0 []
  info: transaction changes: a producer began
> A adds t-0
  A adds: ok
  + T Ongoing 1000/0 [t-0] client 2
> time 20s
> coordinator restarts
> time 5s
> time 15s
  + T PrepareAbort 1000/1 [t-0] client 2
  marker to t-0: abort 1000/1 of term 1, version 2
  info: transaction changes, Ongoing to PrepareAbort: it was open for longer than its timeout of 30000 ms

# a wall clock that was set back does not keep it open for longer than its timeout
> A inits timeout=30s
  A inits: ok 1000/0
  + T Empty 1000/0 []
  info: transaction changes: a producer began
> A adds t-0
  A adds: ok
  + T Ongoing 1000/0 [t-0] client 2
> wall -1h
> coordinator restarts
> time 25s
> time 15s
  + T PrepareAbort 1000/1 [t-0] client 2
  marker to t-0: abort 1000/1 of term 1, version 2
  info: transaction changes, Ongoing to PrepareAbort: it was open for longer than its timeout of 30000 ms

# a wall clock that was set forward ends it at the next look
> A inits timeout=30s
  A inits: ok 1000/0
  + T Empty 1000/0 []
  info: transaction changes: a producer began
> A adds t-0
  A adds: ok
  + T Ongoing 1000/0 [t-0] client 2
> wall +1h
> time 9s
> coordinator restarts
> time 20s
  + T PrepareAbort 1000/1 [t-0] client 2
  marker to t-0: abort 1000/1 of term 1, version 2
  info: transaction changes, Ongoing to PrepareAbort: it was open for longer than its timeout of 30000 ms

# the abort is tried again while the log refuses it
> A inits timeout=30s
  A inits: ok 1000/0
  + T Empty 1000/0 []
  info: transaction changes: a producer began
> A adds t-0
  A adds: ok
  + T Ongoing 1000/0 [t-0] client 2
> log refuses not-enough-replicas
> time 40s
  warn: append refused: told to refuse
> log accepts
> time 1s
  + T PrepareAbort 1000/1 [t-0] client 2
  marker to t-0: abort 1000/1 of term 0, version 2
  info: transaction changes, Ongoing to PrepareAbort: it was open for longer than its timeout of 30000 ms
> partitions answer
  + T CompleteAbort 1000/1 [] client 2

# transactions whose aborts do not fit into one batch are aborted one after another
> A inits timeout=30s
  A inits: ok 1000/0
  + T Empty 1000/0 []
  info: transaction changes: a producer began
> B inits id=B timeout=30s
  B inits: ok 1001/0
  + B Empty 1001/0 []
  info: transaction changes: a producer began
> A adds t-0
  A adds: ok
  + T Ongoing 1000/0 [t-0] client 2
> B adds t-1 id=B
  B adds: ok
  + B Ongoing 1001/0 [t-1] client 2
> log takes 1
> time 41s
  + T PrepareAbort 1000/1 [t-0] client 2
  + B PrepareAbort 1001/1 [t-1] client 2
  marker to t-0: abort 1000/1 of term 0, version 2
  marker to t-1: abort 1001/1 of term 0, version 2
  info: transaction changes, Ongoing to PrepareAbort: it was open for longer than its timeout of 30000 ms
  info: transaction changes, Ongoing to PrepareAbort: it was open for longer than its timeout of 30000 ms

# the abort is written even though it takes longer to be committed than the transaction may last
> A inits timeout=1ms
  A inits: ok 1000/0
  + T Empty 1000/0 []
  info: transaction changes: a producer began
> A adds t-0
  A adds: ok
  + T Ongoing 1000/0 [t-0] client 2
> log holds
> time 20s
  + T PrepareAbort 1000/1 [t-0] client 2
  info: transaction changes, Ongoing to PrepareAbort: it was open for longer than its timeout of 1 ms
> time 10min
> log commits
  marker to t-0: abort 1000/1 of term 0, version 2
> partitions answer
  + T CompleteAbort 1000/1 [] client 2
