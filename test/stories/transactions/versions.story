# while the feature is at 0, records are written for old releases
> feature 0
> A inits
  A inits: ok 1000/0
  + T Empty 1000/0 [] (version 0)
  info: transaction changes: a producer began
> A adds t-0 version=0
  A adds: ok
  + T Ongoing 1000/0 [t-0] (version 0)
> A commits version=0
  A commits: ok
  + T PrepareCommit 1000/0 [t-0] (version 0)
  marker to t-0: commit 1000/0 of term 0, version 0
> partitions answer
  + T CompleteCommit 1000/0 [] (version 0)

# at 1 they have room for more, and clients of version 1 go on as before
> feature 1
> A inits
  A inits: ok 1000/0
  + T Empty 1000/0 []
  info: transaction changes: a producer began
> A adds t-0 version=0
  A adds: ok
  + T Ongoing 1000/0 [t-0]
> A aborts version=0
  A aborts: ok
  + T PrepareAbort 1000/0 [t-0]
  marker to t-0: abort 1000/0 of term 0, version 0
> partitions answer
  + T CompleteAbort 1000/0 []

# clients of both versions live in one cluster
> A inits id=old
  A inits: ok 1000/0
  + old Empty 1000/0 []
  info: transaction changes: a producer began
> B inits id=new
  B inits: ok 1001/0
  + new Empty 1001/0 []
  info: transaction changes: a producer began
> A adds t-0 id=old version=0
  A adds: ok
  + old Ongoing 1000/0 [t-0]
> B adds t-0 id=new
  B adds: ok
  + new Ongoing 1001/0 [t-0] client 2
> A commits id=old version=0
  A commits: ok
  + old PrepareCommit 1000/0 [t-0]
  marker to t-0: commit 1000/0 of term 0, version 0
> B commits id=new
  B commits: ok 1001/1
  + new PrepareCommit 1001/1 [t-0] client 2
  marker to t-0: commit 1001/1 of term 0, version 2
> partitions answer
  + old CompleteCommit 1000/0 []
  + new CompleteCommit 1001/1 [] client 2
> A adds t-0 id=old version=0
  A adds: ok
  + old Ongoing 1000/0 [t-0]
> B adds t-0 id=new
  B adds: ok
  + new Ongoing 1001/1 [t-0] client 2

# a producer that learns of version 2 changes over from one transaction to the next, and back
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
> A adds t-0
  A adds: ok
  + T Ongoing 1000/0 [t-0] client 2
> A commits
  A commits: ok 1000/1
  + T PrepareCommit 1000/1 [t-0] client 2
  marker to t-0: commit 1000/1 of term 0, version 2
> partitions answer
  + T CompleteCommit 1000/1 [] client 2
> A adds t-0 version=0
  A adds: ok
  + T Ongoing 1000/1 [t-0]
> A commits version=0
  A commits: ok
  + T PrepareCommit 1000/1 [t-0]
  marker to t-0: commit 1000/1 of term 0, version 0
> partitions answer
  + T CompleteCommit 1000/1 []

# partitions that were added by the client itself can end under version 2
> A inits
  A inits: ok 1000/0
  + T Empty 1000/0 []
  info: transaction changes: a producer began
> A adds t-0 version=0
  A adds: ok
  + T Ongoing 1000/0 [t-0]
> A commits
  A commits: ok 1000/1
  + T PrepareCommit 1000/1 [t-0] client 2
  marker to t-0: commit 1000/1 of term 0, version 2
> partitions answer
  + T CompleteCommit 1000/1 [] client 2

# a client of version 2 works while the feature is lowered under it
> A inits
  A inits: ok 1000/0
  + T Empty 1000/0 []
  info: transaction changes: a producer began
> A adds t-0
  A adds: ok
  + T Ongoing 1000/0 [t-0] client 2
> feature 0
> A commits
  A commits: ok 1000/1
  + T PrepareCommit 1000/1 [t-0] client 2
  marker to t-0: commit 1000/1 of term 0, version 2
> partitions answer
  + T CompleteCommit 1000/1 [] client 2
> A adds t-0 version=0
  A adds: ok
  + T Ongoing 1000/1 [t-0] (version 0)
> A commits version=0
  A commits: ok
  + T PrepareCommit 1000/1 [t-0] (version 0)
  marker to t-0: commit 1000/1 of term 0, version 0
> partitions answer
  + T CompleteCommit 1000/1 [] (version 0)

# what a client of version 1 ended raised no epoch: who was replaced cannot take it for its own end
> A inits
  A inits: ok 1000/0
  + T Empty 1000/0 []
  info: transaction changes: a producer began
> B inits
  B inits: ok 1000/1
  + T Empty 1000/1 []
  info: transaction changes: a producer began
> B adds t-0 version=0
  B adds: ok
  + T Ongoing 1000/1 [t-0]
> B aborts version=0
  B aborts: ok
  + T PrepareAbort 1000/1 [t-0]
  marker to t-0: abort 1000/1 of term 0, version 0
> partitions answer
  + T CompleteAbort 1000/1 []
> A aborts
  A aborts: PRODUCER_FENCED
> A commits
  A commits: PRODUCER_FENCED
> B adds t-0 version=0
  B adds: ok
  + T Ongoing 1000/1 [t-0]
> B commits version=0
  B commits: ok
  + T PrepareCommit 1000/1 [t-0]
  marker to t-0: commit 1000/1 of term 0, version 0
> partitions answer
  + T CompleteCommit 1000/1 []
> A commits
  A commits: PRODUCER_FENCED
