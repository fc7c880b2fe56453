# a partition whose leader is not ready is sent the marker again
> A inits
  A inits: ok 1000/0
  + T Empty 1000/0 []
  info: transaction changes: a producer began
> A adds t-0 t-1
  A adds: ok
  + T Ongoing 1000/0 [t-0 t-1] client 2
> A commits
  A commits: ok 1000/1
  + T PrepareCommit 1000/1 [t-0 t-1] client 2
  marker to t-0: commit 1000/1 of term 0, version 2
  marker to t-1: commit 1000/1 of term 0, version 2
> partition t-0 answers NOT_LEADER_OR_FOLLOWER
  info: a partition of a transaction has no marker yet t/0: NOT_LEADER_OR_FOLLOWER
> partition t-1 answers
> time 50ms
  marker to t-0: commit 1000/1 of term 0, version 2
> A describes
  A describes: PrepareCommit 1000/1 [t-0] timeout 60000, began once
> partition t-0 answers UNKNOWN_TOPIC_OR_PARTITION
> time 50ms
> time 50ms
  marker to t-0: commit 1000/1 of term 0, version 2
> partition t-0 fails
> time 200ms
  marker to t-0: commit 1000/1 of term 0, version 2
> partition t-0 answers
  + T CompleteCommit 1000/1 [] client 2
> A describes
  A describes: CompleteCommit 1000/1 [] timeout 60000, began once

# those that fail together are sent it again together
> A inits
  A inits: ok 1000/0
  + T Empty 1000/0 []
  info: transaction changes: a producer began
> A adds t-0 t-1 t-2
  A adds: ok
  + T Ongoing 1000/0 [t-0 t-1 t-2] client 2
> A aborts
  A aborts: ok 1000/1
  + T PrepareAbort 1000/1 [t-0 t-1 t-2] client 2
  marker to t-0: abort 1000/1 of term 0, version 2
  marker to t-1: abort 1000/1 of term 0, version 2
  marker to t-2: abort 1000/1 of term 0, version 2
> partition t-0 answers NOT_ENOUGH_REPLICAS
  info: a partition of a transaction has no marker yet t/0: NOT_ENOUGH_REPLICAS
> partition t-1 answers NOT_ENOUGH_REPLICAS_AFTER_APPEND
  info: a partition of a transaction has no marker yet t/1: NOT_ENOUGH_REPLICAS_AFTER_APPEND
> partition t-2 answers REQUEST_TIMED_OUT
  info: a partition of a transaction has no marker yet t/2: REQUEST_TIMED_OUT
> time 50ms
  marker to t-0: abort 1000/1 of term 0, version 2
  marker to t-1: abort 1000/1 of term 0, version 2
  marker to t-2: abort 1000/1 of term 0, version 2
> partitions answer
  + T CompleteAbort 1000/1 [] client 2

# one that fails later waits for the next time
> A inits
  A inits: ok 1000/0
  + T Empty 1000/0 []
  info: transaction changes: a producer began
> A adds t-0 t-1
  A adds: ok
  + T Ongoing 1000/0 [t-0 t-1] client 2
> A aborts
  A aborts: ok 1000/1
  + T PrepareAbort 1000/1 [t-0 t-1] client 2
  marker to t-0: abort 1000/1 of term 0, version 2
  marker to t-1: abort 1000/1 of term 0, version 2
> partition t-0 answers KAFKA_STORAGE_ERROR
  info: a partition of a transaction has no marker yet t/0: KAFKA_STORAGE_ERROR
> time 50ms
  marker to t-0: abort 1000/1 of term 0, version 2
> partition t-1 fails
> time 100ms
  marker to t-1: abort 1000/1 of term 0, version 2
> partitions answer
  + T CompleteAbort 1000/1 [] client 2

# a partition that is deleted needs no marker
> A inits
  A inits: ok 1000/0
  + T Empty 1000/0 []
  info: transaction changes: a producer began
> A adds t-0 t-1
  A adds: ok
  + T Ongoing 1000/0 [t-0 t-1] client 2
> A commits
  A commits: ok 1000/1
  + T PrepareCommit 1000/1 [t-0 t-1] client 2
  marker to t-0: commit 1000/1 of term 0, version 2
  marker to t-1: commit 1000/1 of term 0, version 2
> partition t-0 is deleted
  info: a partition of a transaction needs no marker t/0: the partition is deleted
> partition t-1 answers
  + T CompleteCommit 1000/1 [] client 2

# a partition in which a newer epoch has written needs none either
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
> partition t-0 answers INVALID_PRODUCER_EPOCH
  + T CompleteCommit 1000/1 [] client 2
  info: a partition of a transaction needs no marker t/0: INVALID_PRODUCER_EPOCH

# nor does one that keeps records of old formats
> A inits
  A inits: ok 1000/0
  + T Empty 1000/0 []
  info: transaction changes: a producer began
> A adds t-0 t-1
  A adds: ok
  + T Ongoing 1000/0 [t-0 t-1] client 2
> A commits
  A commits: ok 1000/1
  + T PrepareCommit 1000/1 [t-0 t-1] client 2
  marker to t-0: commit 1000/1 of term 0, version 2
  marker to t-1: commit 1000/1 of term 0, version 2
> partition t-0 answers UNSUPPORTED_FOR_MESSAGE_FORMAT
  info: a partition of a transaction needs no marker t/0: UNSUPPORTED_FOR_MESSAGE_FORMAT
> partition t-1 answers UNSUPPORTED_VERSION
  + T CompleteCommit 1000/1 [] client 2
  info: a partition of a transaction needs no marker t/1: UNSUPPORTED_VERSION

# a coordinator that has been replaced goes on trying, and is ended by whoever replaced it
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
> partition t-0 answers TRANSACTION_COORDINATOR_FENCED
  info: a partition of a transaction has no marker yet t/0: TRANSACTION_COORDINATOR_FENCED
> time 50ms
  marker to t-0: commit 1000/1 of term 0, version 2
> coordinator resigns

# tries become rarer, to one a second
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
> partitions answer NOT_LEADER_OR_FOLLOWER
  info: a partition of a transaction has no marker yet t/0: NOT_LEADER_OR_FOLLOWER
> time 50ms
  marker to t-0: commit 1000/1 of term 0, version 2
> partitions answer NOT_LEADER_OR_FOLLOWER
> time 100ms
  marker to t-0: commit 1000/1 of term 0, version 2
> partitions answer NOT_LEADER_OR_FOLLOWER
> time 200ms
  marker to t-0: commit 1000/1 of term 0, version 2
> partitions answer NOT_LEADER_OR_FOLLOWER
> time 400ms
  marker to t-0: commit 1000/1 of term 0, version 2
> partitions answer NOT_LEADER_OR_FOLLOWER
> time 800ms
  marker to t-0: commit 1000/1 of term 0, version 2
> partitions answer NOT_LEADER_OR_FOLLOWER
> time 999ms
> time 10ms
  marker to t-0: commit 1000/1 of term 0, version 2

# a new coordinator sends all markers anew, in its own term
> A inits
  A inits: ok 1000/0
  + T Empty 1000/0 []
  info: transaction changes: a producer began
> A adds t-0 t-1
  A adds: ok
  + T Ongoing 1000/0 [t-0 t-1] client 2
> A commits
  A commits: ok 1000/1
  + T PrepareCommit 1000/1 [t-0 t-1] client 2
  marker to t-0: commit 1000/1 of term 0, version 2
  marker to t-1: commit 1000/1 of term 0, version 2
> partition t-0 answers
> coordinator restarts
  marker to t-0: commit 1000/1 of term 1, version 2
  marker to t-1: commit 1000/1 of term 1, version 2
> partitions answer
  + T CompleteCommit 1000/1 [] client 2
> coordinator restarts
> A adds t-0
  A adds: ok
  + T Ongoing 1000/1 [t-0] client 2

# a new coordinator whose log is not committed yet sends them once it is
> A inits
  A inits: ok 1000/0
  + T Empty 1000/0 []
  info: transaction changes: a producer began
> A adds t-0
  A adds: ok
  + T Ongoing 1000/0 [t-0] client 2
> log holds
> A aborts
  + T PrepareAbort 1000/1 [t-0] client 2
> coordinator restarts
  A aborts: refused, not-leader
> log commits
  marker to t-0: abort 1000/1 of term 1, version 2
> partitions answer
  + T CompleteAbort 1000/1 [] client 2

# a crash between prepare and complete of nothing leaves nothing to do
> A inits
  A inits: ok 1000/0
  + T Empty 1000/0 []
  info: transaction changes: a producer began
> A aborts
  A aborts: ok 1000/1
  + T PrepareAbort 1000/1 [] client 2
  + T CompleteAbort 1000/1 [] client 2
> coordinator restarts

# markers of a coordinator that resigned lead nowhere
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
> coordinator resigns
> partitions answer
