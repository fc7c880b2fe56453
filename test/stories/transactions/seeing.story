# lists are filtered by state, producer id, duration and name
> A inits id=one
  A inits: ok 1000/0
  + one Empty 1000/0 []
  info: transaction changes: a producer began
> B inits id=two
  B inits: ok 1001/0
  + two Empty 1001/0 []
  info: transaction changes: a producer began
> B adds t-0 id=two
  B adds: ok
  + two Ongoing 1001/0 [t-0] client 2
> time 10s
> C inits id=three
  C inits: ok 1002/0
  + three Empty 1002/0 []
  info: transaction changes: a producer began
> C adds t-0 id=three
  C adds: ok
  + three Ongoing 1002/0 [t-0] client 2
> C commits id=three
  C commits: ok 1002/1
  + three PrepareCommit 1002/1 [t-0] client 2
  marker to t-0: commit 1002/1 of term 0, version 2
> A lists
  A lists: one=Empty(1000) two=Ongoing(1001) three=PrepareCommit(1002)
> A lists state=Ongoing
  A lists: two=Ongoing(1001)
> A lists state=Ongoing,PrepareCommit
  A lists: two=Ongoing(1001) three=PrepareCommit(1002)
> A lists state=Nonsense
  A lists: nothing
> A lists producer=1001
  A lists: two=Ongoing(1001)
> A lists longer=5s
  A lists: one=Empty(1000) two=Ongoing(1001)
> A lists longer=10s
  A lists: one=Empty(1000)
> A lists pattern=t
  A lists: two=Ongoing(1001) three=PrepareCommit(1002)
> A lists pattern=t state=Ongoing producer=1000
  A lists: nothing
> partitions answer
  + three CompleteCommit 1002/1 [] client 2
> A lists
  A lists: one=Empty(1000) two=Ongoing(1001) three=CompleteCommit(1002)

# a transaction is described with what is part of it
> A inits
  A inits: ok 1000/0
  + T Empty 1000/0 []
  info: transaction changes: a producer began
> A describes
  A describes: Empty 1000/0 [] timeout 60000, began never
> A adds t-0 t-1 u-0
  A adds: ok
  + T Ongoing 1000/0 [t-0 t-1 u-0] client 2
> A describes
  A describes: Ongoing 1000/0 [t-0 t-1 u-0] timeout 60000, began once
> A commits
  A commits: ok 1000/1
  + T PrepareCommit 1000/1 [t-0 t-1 u-0] client 2
  marker to t-0: commit 1000/1 of term 0, version 2
  marker to t-1: commit 1000/1 of term 0, version 2
  marker to u-0: commit 1000/1 of term 0, version 2
> partition t-1 answers
> A describes
  A describes: PrepareCommit 1000/1 [t-0 u-0] timeout 60000, began once
> partitions answer
  + T CompleteCommit 1000/1 [] client 2
> A describes
  A describes: CompleteCommit 1000/1 [] timeout 60000, began once

# what is shown is committed
> A inits
  A inits: ok 1000/0
  + T Empty 1000/0 []
  info: transaction changes: a producer began
> log holds
> A adds t-0
  + T Ongoing 1000/0 [t-0] client 2
> A describes
> A lists
> log commits
  A adds: ok
  A describes: Ongoing 1000/0 [t-0] timeout 60000, began once
  A lists: T=Ongoing(1000)
