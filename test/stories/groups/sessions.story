# a member that misses its session is removed and the rest rejoin
> A joins version=3
  A joins: generationId 1, protocolType consumer, protocolName range, leader A-1, memberId A-1, members [memberId A-1, metadata <t>]
  + group g generation 0 []
  g is CompletingRebalance 1 [A-1]
> B joins version=3
  g is PreparingRebalance 1 [A-1 B-2(joining)]
> A joins
  B joins: generationId 2, protocolType consumer, protocolName range, leader A-1, memberId B-2
  A joins: generationId 2, protocolType consumer, protocolName range, leader A-1, memberId A-1, members [memberId A-1, metadata <t>; memberId B-2, metadata <t>]
  g is CompletingRebalance 2 [A-1 B-2]
> A syncs assigns=A:t-0,B:t-1
  A syncs: protocolType consumer, protocolName range, assignment t-0
  + group g generation 2, range [A-1=t-0 B-2=t-1]
  g is Stable 2 [A-1 B-2]
> B syncs
  B syncs: protocolType consumer, protocolName range, assignment t-1
> time 9s
> A beats
  A beats: ok
> time 2s
  g is PreparingRebalance 2 [A-1]
> A beats
  A beats: REBALANCE_IN_PROGRESS
> A joins
  A joins: generationId 3, protocolType consumer, protocolName range, leader A-1, memberId A-1, members [memberId A-1, metadata <t>]
  g is CompletingRebalance 3 [A-1]
> A syncs assigns=A:t-0+t-1
  A syncs: protocolType consumer, protocolName range, assignment t-0+t-1
  + group g generation 3, range [A-1=t-0+t-1]
  g is Stable 3 [A-1]

# heartbeats and commits of offsets keep a member
> A joins version=3
  A joins: generationId 1, protocolType consumer, protocolName range, leader A-1, memberId A-1, members [memberId A-1, metadata <t>]
  + group g generation 0 []
  g is CompletingRebalance 1 [A-1]
> A syncs
  A syncs: protocolType consumer, protocolName range
  + group g generation 1, range [A-1=]
  g is Stable 1 [A-1]
> time 9s
> A beats
  A beats: ok
> time 9s
> A commits t-0=1
  A commits: topics [name t, partitions [partitionIndex 0]]
  + offset g t-0 1
> time 9s
> A commits t-0=2
  A commits: topics [name t, partitions [partitionIndex 0]]
  + offset g t-0 2
> time 11s
  + group g generation 2 []
  g is Empty 2 []
> A beats
  A beats: UNKNOWN_MEMBER_ID

# a member without heartbeats is gone with its session, and the group is empty
> A joins version=3
  A joins: generationId 1, protocolType consumer, protocolName range, leader A-1, memberId A-1, members [memberId A-1, metadata <t>]
  + group g generation 0 []
  g is CompletingRebalance 1 [A-1]
> A syncs
  A syncs: protocolType consumer, protocolName range
  + group g generation 1, range [A-1=]
  g is Stable 1 [A-1]
> time 11s
  + group g generation 2 []
  g is Empty 2 []
> A commits t-0=1
  A commits: topics [name t, partitions [UNKNOWN_MEMBER_ID, partitionIndex 0]]
> A commits t-0=1 generation=-1 id=
  A commits: topics [name t, partitions [partitionIndex 0]]
  + offset g t-0 1

# a member that waits for others is not removed for being silent
> A joins version=3 session=60000
  A joins: generationId 1, protocolType consumer, protocolName range, leader A-1, memberId A-1, members [memberId A-1, metadata <t>]
  + group g generation 0 []
  g is CompletingRebalance 1 [A-1]
> A syncs
  A syncs: protocolType consumer, protocolName range
  + group g generation 1, range [A-1=]
  g is Stable 1 [A-1]
> B joins version=3 session=6000
  g is PreparingRebalance 1 [A-1 B-2(joining)]
> B joins session=6000
  B joins: MEMBER_ID_REQUIRED, memberId B-3
  g is PreparingRebalance 1 [A-1 B-2(joining) B-3?]
> time 30s
  g is PreparingRebalance 1 [A-1 B-2(joining)]
> A joins
  B joins: generationId 2, protocolType consumer, protocolName range, leader A-1, memberId B-2
  A joins: generationId 2, protocolType consumer, protocolName range, leader A-1, memberId A-1, members [memberId A-1, metadata <t>; memberId B-2, metadata <t>]
  g is CompletingRebalance 2 [A-1 B-2]
> time 5s
> time 5s
  + group g generation 3 []
  g is Empty 3 []

# a member that waits for the leader's assignment is not removed for being silent
> A joins version=3 session=60000
  A joins: generationId 1, protocolType consumer, protocolName range, leader A-1, memberId A-1, members [memberId A-1, metadata <t>]
  + group g generation 0 []
  g is CompletingRebalance 1 [A-1]
> B joins version=3 session=6000
  g is PreparingRebalance 1 [A-1 B-2(joining)]
> A joins session=60000
  B joins: generationId 2, protocolType consumer, protocolName range, leader A-1, memberId B-2
  A joins: generationId 2, protocolType consumer, protocolName range, leader A-1, memberId A-1, members [memberId A-1, metadata <t>; memberId B-2, metadata <t>]
  g is CompletingRebalance 2 [A-1 B-2]
> B syncs
  g is CompletingRebalance 2 [A-1 B-2(syncing)]
> time 30s
> A syncs assigns=B:t-0
  B syncs: protocolType consumer, protocolName range, assignment t-0
  A syncs: protocolType consumer, protocolName range
  + group g generation 2, range [A-1= B-2=t-0]
  g is Stable 2 [A-1 B-2]
> time 5s
> B beats
  B beats: ok
> time 7s
  g is PreparingRebalance 2 [A-1]

# a rebalance timeout of 0 does not throw out a member before its SyncGroup
> A joins version=4 rebalance=0
  A joins: MEMBER_ID_REQUIRED, memberId A-1
  + group g generation 0 []
  g is Empty 0 [A-1?]
> A joins version=4 rebalance=0
  A joins: generationId 1, protocolType consumer, protocolName range, leader A-1, memberId A-1, members [memberId A-1, metadata <t>]
  g is CompletingRebalance 1 [A-1]
> time 1s
> A syncs assigns=A:t-0
  A syncs: protocolType consumer, protocolName range, assignment t-0
  + group g generation 1, range [A-1=t-0]
  g is Stable 1 [A-1]
> time 9s
> A beats
  A beats: ok

# a member that never asks for its assignment is removed after session and rebalance timeouts
> A joins version=3 session=6000 rebalance=8000
  A joins: generationId 1, protocolType consumer, protocolName range, leader A-1, memberId A-1, members [memberId A-1, metadata <t>]
  + group g generation 0 []
  g is CompletingRebalance 1 [A-1]
> B joins version=3 session=6000 rebalance=8000
  g is PreparingRebalance 1 [A-1 B-2(joining)]
> A joins session=6000 rebalance=8000
  B joins: generationId 2, protocolType consumer, protocolName range, leader A-1, memberId B-2
  A joins: generationId 2, protocolType consumer, protocolName range, leader A-1, memberId A-1, members [memberId A-1, metadata <t>; memberId B-2, metadata <t>]
  g is CompletingRebalance 2 [A-1 B-2]
> A syncs assigns=A:t-0,B:t-1
  A syncs: protocolType consumer, protocolName range, assignment t-0
  + group g generation 2, range [A-1=t-0 B-2=t-1]
  g is Stable 2 [A-1 B-2]
> time 5s
> A beats
  A beats: ok
> B beats
  B beats: ok
> time 4s
  g is PreparingRebalance 2 [A-1]
> A beats
  A beats: REBALANCE_IN_PROGRESS

# a leader that never assigns is removed with its session
> A joins version=3 session=6000
  A joins: generationId 1, protocolType consumer, protocolName range, leader A-1, memberId A-1, members [memberId A-1, metadata <t>]
  + group g generation 0 []
  g is CompletingRebalance 1 [A-1]
> B joins version=3 session=60000
  g is PreparingRebalance 1 [A-1 B-2(joining)]
> A joins session=6000
  B joins: generationId 2, protocolType consumer, protocolName range, leader A-1, memberId B-2
  A joins: generationId 2, protocolType consumer, protocolName range, leader A-1, memberId A-1, members [memberId A-1, metadata <t>; memberId B-2, metadata <t>]
  g is CompletingRebalance 2 [A-1 B-2]
> B syncs
  g is CompletingRebalance 2 [A-1 B-2(syncing)]
> time 7s
  B syncs: REBALANCE_IN_PROGRESS
  g is PreparingRebalance 2 [B-2]

# leaving ends a session at once
> A joins version=3
  A joins: generationId 1, protocolType consumer, protocolName range, leader A-1, memberId A-1, members [memberId A-1, metadata <t>]
  + group g generation 0 []
  g is CompletingRebalance 1 [A-1]
> B joins version=3
  g is PreparingRebalance 1 [A-1 B-2(joining)]
> A joins
  B joins: generationId 2, protocolType consumer, protocolName range, leader A-1, memberId B-2
  A joins: generationId 2, protocolType consumer, protocolName range, leader A-1, memberId A-1, members [memberId A-1, metadata <t>; memberId B-2, metadata <t>]
  g is CompletingRebalance 2 [A-1 B-2]
> A syncs
  A syncs: protocolType consumer, protocolName range
  + group g generation 2, range [A-1= B-2=]
  g is Stable 2 [A-1 B-2]
> B syncs
  B syncs: protocolType consumer, protocolName range
> B leaves
  B leaves: members [memberId B-2]
  g is PreparingRebalance 2 [A-1]
> A beats
  A beats: REBALANCE_IN_PROGRESS
> A joins
  A joins: generationId 3, protocolType consumer, protocolName range, leader A-1, memberId A-1, members [memberId A-1, metadata <t>]
  g is CompletingRebalance 3 [A-1]
> A syncs assigns=A:t-0
  A syncs: protocolType consumer, protocolName range, assignment t-0
  + group g generation 3, range [A-1=t-0]
  g is Stable 3 [A-1]
> A leaves
  A leaves: members [memberId A-1]
  + group g generation 4 []
  g is Empty 4 []
> time 60s

# leaving while others are waited for lets the group go on
> A joins version=3
  A joins: generationId 1, protocolType consumer, protocolName range, leader A-1, memberId A-1, members [memberId A-1, metadata <t>]
  + group g generation 0 []
  g is CompletingRebalance 1 [A-1]
> B joins version=3
  g is PreparingRebalance 1 [A-1 B-2(joining)]
> A joins
  B joins: generationId 2, protocolType consumer, protocolName range, leader A-1, memberId B-2
  A joins: generationId 2, protocolType consumer, protocolName range, leader A-1, memberId A-1, members [memberId A-1, metadata <t>; memberId B-2, metadata <t>]
  g is CompletingRebalance 2 [A-1 B-2]
> A syncs
  A syncs: protocolType consumer, protocolName range
  + group g generation 2, range [A-1= B-2=]
  g is Stable 2 [A-1 B-2]
> B syncs
  B syncs: protocolType consumer, protocolName range
> C joins version=3
  g is PreparingRebalance 2 [A-1 B-2 C-4(joining)]
> A joins
  g is PreparingRebalance 2 [A-1(joining) B-2 C-4(joining)]
> B leaves
  A joins: generationId 3, protocolType consumer, protocolName range, leader A-1, memberId A-1, members [memberId A-1, metadata <t>; memberId C-4, metadata <t>]
  C joins: generationId 3, protocolType consumer, protocolName range, leader A-1, memberId C-4
  B leaves: members [memberId B-2]
  g is CompletingRebalance 3 [A-1 C-4]

# the last members to leave an unfinished rebalance leave the group empty
> A joins version=3
  A joins: generationId 1, protocolType consumer, protocolName range, leader A-1, memberId A-1, members [memberId A-1, metadata <t>]
  + group g generation 0 []
  g is CompletingRebalance 1 [A-1]
> B joins version=3
  g is PreparingRebalance 1 [A-1 B-2(joining)]
> A leaves
  B joins: generationId 2, protocolType consumer, protocolName range, leader B-2, memberId B-2, members [memberId B-2, metadata <t>]
  A leaves: members [memberId A-1]
  g is CompletingRebalance 2 [B-2]
> B leaves
  B leaves: members [memberId B-2]
  + group g generation 3 []
  g is Empty 3 []
