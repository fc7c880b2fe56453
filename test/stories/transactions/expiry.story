# an id that nobody uses is forgotten after a week
> A inits
  A inits: ok 1000/0
  + T Empty 1000/0 []
  info: transaction changes: a producer began
> time 6d
> A describes
  A describes: Empty 1000/0 [] timeout 60000, began never
> time 25h
  - T
  info: transaction changes, Empty to Dead: its id expired
> A describes
  A describes: TRANSACTIONAL_ID_NOT_FOUND
> A adds t-0
  A adds: INVALID_PRODUCER_ID_MAPPING
> A inits
  A inits: ok 1001/0
  + T Empty 1001/0 []
  info: transaction changes: a producer began

# ids that do not fit into one batch are forgotten one after another
> A inits
  A inits: ok 1000/0
  + T Empty 1000/0 []
  info: transaction changes: a producer began
> B inits id=B
  B inits: ok 1001/0
  + B Empty 1001/0 []
  info: transaction changes: a producer began
> log takes 1
> time 8d
  - T
  - B
  info: transaction changes, Empty to Dead: its id expired
  info: transaction changes, Empty to Dead: its id expired

# it counts from the last use
> A inits
  A inits: ok 1000/0
  + T Empty 1000/0 []
  info: transaction changes: a producer began
> time 5d
> A adds t-0
  A adds: ok
  + T Ongoing 1000/0 [t-0] client 2
> A commits
  A commits: ok 1000/1
  + T PrepareCommit 1000/1 [t-0] client 2
  marker to t-0: commit 1000/1 of term 0, version 2
> partitions answer
  + T CompleteCommit 1000/1 [] client 2
> time 5d
> A describes
  A describes: CompleteCommit 1000/1 [] timeout 60000, began once
> time 3d
  - T
  info: transaction changes, CompleteCommit to Dead: its id expired
> A describes
  A describes: TRANSACTIONAL_ID_NOT_FOUND

# an open transaction keeps its id, one that is being ended too
> set maxTimeoutMs=2000000000
> coordinator restarts
> A inits timeout=20d
  A inits: ok 1000/0
  + T Empty 1000/0 []
  info: transaction changes: a producer began
> A adds t-0
  A adds: ok
  + T Ongoing 1000/0 [t-0] client 2
> B inits id=B
  B inits: ok 1001/0
  + B Empty 1001/0 []
  info: transaction changes: a producer began
> B adds t-1 id=B
  B adds: ok
  + B Ongoing 1001/0 [t-1] client 2
> B commits id=B
  B commits: ok 1001/1
  + B PrepareCommit 1001/1 [t-1] client 2
  marker to t-1: commit 1001/1 of term 1, version 2
> time 8d
> A describes
  A describes: Ongoing 1000/0 [t-0] timeout 1728000000, began once
> B describes id=B
  B describes: PrepareCommit 1001/1 [t-1] timeout 60000, began once

# the search is not lost with a coordinator
> A inits
  A inits: ok 1000/0
  + T Empty 1000/0 []
  info: transaction changes: a producer began
> time 8d
  - T
  info: transaction changes, Empty to Dead: its id expired
> A inits id=U
  A inits: ok 1001/0
  + U Empty 1001/0 []
  info: transaction changes: a producer began
> coordinator restarts
> time 1h
> A describes
  A describes: TRANSACTIONAL_ID_NOT_FOUND
> A describes id=U
  A describes: Empty 1001/0 [] timeout 60000, began never
