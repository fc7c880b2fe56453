# a new transactional id gets a producer id of its own and epoch 0
> A inits
  A inits: ok 1000/0
  + T Empty 1000/0 []
  info: transaction changes: a producer began

# a transaction begins with its first partition, and ends in one state after another (version 2)
> A inits
  A inits: ok 1000/0
  + T Empty 1000/0 []
  info: transaction changes: a producer began
> A adds t-0 t-1
  A adds: ok
  + T Ongoing 1000/0 [t-0 t-1] client 2
> A adds t-0
  A adds: ok
> A adds u-0
  A adds: ok
  + T Ongoing 1000/0 [t-0 t-1 u-0] client 2
> A commits
  A commits: ok 1000/1
  + T PrepareCommit 1000/1 [t-0 t-1 u-0] client 2
  marker to t-0: commit 1000/1 of term 0, version 2
  marker to t-1: commit 1000/1 of term 0, version 2
  marker to u-0: commit 1000/1 of term 0, version 2
> partition t-0 answers
> partition t-1 answers
> partition u-0 answers
  + T CompleteCommit 1000/1 [] client 2
> A adds t-0
  A adds: ok
  + T Ongoing 1000/1 [t-0] client 2

# an abort is the same, with markers that say so
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

# under version 1 the epoch stays
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
> A adds t-0 version=0
  A adds: ok
  + T Ongoing 1000/0 [t-0]
> A aborts version=0
  A aborts: ok
  + T PrepareAbort 1000/0 [t-0]
  marker to t-0: abort 1000/0 of term 0, version 0
> partitions answer
  + T CompleteAbort 1000/0 []

# nothing else is done while markers are missing
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
> A adds t-1
  A adds: CONCURRENT_TRANSACTIONS
> A verifies t-0
  A verifies: CONCURRENT_TRANSACTIONS
> A commits
  A commits: CONCURRENT_TRANSACTIONS
> A aborts
  A aborts: CONCURRENT_TRANSACTIONS
> A inits
  A inits: CONCURRENT_TRANSACTIONS
> A inits again=yes
  A inits: CONCURRENT_TRANSACTIONS
> B inits
  B inits: CONCURRENT_TRANSACTIONS
> B describes
  B describes: PrepareCommit 1000/1 [t-0] timeout 60000, began once

# the same under version 1
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
> A adds t-1 version=0
  A adds: CONCURRENT_TRANSACTIONS
> A commits version=0
  A commits: CONCURRENT_TRANSACTIONS
> A aborts version=0
  A aborts: CONCURRENT_TRANSACTIONS
> B inits
  B inits: CONCURRENT_TRANSACTIONS

# markers leave only once it is committed that the transaction ends so
> A inits
  A inits: ok 1000/0
  + T Empty 1000/0 []
  info: transaction changes: a producer began
> A adds t-0
  A adds: ok
  + T Ongoing 1000/0 [t-0] client 2
> log holds
> A commits
  + T PrepareCommit 1000/1 [t-0] client 2
> log commits
  A commits: ok 1000/1
  marker to t-0: commit 1000/1 of term 0, version 2
> log holds
> partitions answer
  + T CompleteCommit 1000/1 [] client 2
> B describes
> log commits
  B describes: CompleteCommit 1000/1 [] timeout 60000, began once

# nothing is answered before it is committed, not even a refusal
> log holds
> A inits
  + T Empty 1000/0 []
  info: transaction changes: a producer began
> B inits
  + T Empty 1000/1 []
  info: transaction changes: a producer began
> log commits
  A inits: ok 1000/0
  B inits: ok 1000/1

# an append that is refused changes nothing
> A inits
  A inits: ok 1000/0
  + T Empty 1000/0 []
  info: transaction changes: a producer began
> log refuses not-enough-replicas
> A adds t-0
  A adds: refused, not-enough-replicas
  warn: append refused: told to refuse
> log refuses storage
> A adds t-0
  A adds: refused, storage
  warn: append refused: told to refuse
> log accepts
> B describes
  B describes: Empty 1000/0 [] timeout 60000, began never
> A adds t-0
  A adds: ok
  + T Ongoing 1000/0 [t-0] client 2

# the end is written again and again while the log refuses it
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
> log refuses not-enough-replicas
> partitions answer
  warn: append refused: told to refuse
> time 1s
  warn: append refused: told to refuse
  warn: append refused: told to refuse
> log accepts
> time 500ms
  + T CompleteCommit 1000/1 [] client 2

# a transaction without partitions ends at once
> A inits
  A inits: ok 1000/0
  + T Empty 1000/0 []
  info: transaction changes: a producer began
> A aborts
  A aborts: ok 1000/1
  + T PrepareAbort 1000/1 [] client 2
  + T CompleteAbort 1000/1 [] client 2
> A aborts
  A aborts: ok 1000/2
  + T PrepareAbort 1000/2 [] client 2
  + T CompleteAbort 1000/2 [] client 2
> A adds t-0
  A adds: ok
  + T Ongoing 1000/2 [t-0] client 2
> A commits
  A commits: ok 1000/3
  + T PrepareCommit 1000/3 [t-0] client 2
  marker to t-0: commit 1000/3 of term 0, version 2
> partitions answer
  + T CompleteCommit 1000/3 [] client 2
> A aborts
  A aborts: ok 1000/4
  + T PrepareAbort 1000/4 [] client 2
  + T CompleteAbort 1000/4 [] client 2

# who has not begun has no transaction
> A adds t-0 as=1000/0
  A adds: INVALID_PRODUCER_ID_MAPPING
> A verifies t-0 as=1000/0
  A verifies: INVALID_PRODUCER_ID_MAPPING
> A commits as=1000/0
  A commits: INVALID_PRODUCER_ID_MAPPING
> A aborts as=1000/0 version=0
  A aborts: INVALID_PRODUCER_ID_MAPPING
> A describes
  A describes: TRANSACTIONAL_ID_NOT_FOUND

# requests without an id are invalid
> A inits id=
  A inits: INVALID_REQUEST
> A adds t-0 id=
  A adds: INVALID_REQUEST
> A verifies t-0 t-1 id=
  A verifies: INVALID_REQUEST INVALID_REQUEST
> A commits id=
  A commits: INVALID_REQUEST
> A describes id=
  A describes: INVALID_REQUEST

# timeouts have bounds
> A inits timeout=0s
  A inits: INVALID_TRANSACTION_TIMEOUT
> A inits timeout=-1ms
  A inits: INVALID_TRANSACTION_TIMEOUT
> A inits timeout=900s
  A inits: ok 1000/0
  + T Empty 1000/0 []
  info: transaction changes: a producer began
> A inits timeout=901s
  A inits: INVALID_TRANSACTION_TIMEOUT

# two-phase commit is refused unless it is enabled, keeping prepared transactions always
> A inits prepared=two-phase
  A inits: TRANSACTIONAL_ID_AUTHORIZATION_FAILED
> A inits prepared=kept
  A inits: UNSUPPORTED_VERSION

# verification says for each partition whether it belongs
> A inits
  A inits: ok 1000/0
  + T Empty 1000/0 []
  info: transaction changes: a producer began
> A verifies t-0
  A verifies: TRANSACTION_ABORTABLE
> A adds t-0 t-1
  A adds: ok
  + T Ongoing 1000/0 [t-0 t-1] client 2
> A verifies t-0 t-2 t-1
  A verifies: ok TRANSACTION_ABORTABLE ok
> A verifies t-0 as=1000/1
  A verifies: PRODUCER_FENCED
> A verifies t-0 as=999/0
  A verifies: INVALID_PRODUCER_ID_MAPPING
