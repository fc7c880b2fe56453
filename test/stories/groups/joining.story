# a first member gets its id, then a group of its own, and its assignment
> A joins
  A joins: MEMBER_ID_REQUIRED, memberId A-1
  + group g generation 0 []
  g is Empty 0 [A-1?]
> A joins
  A joins: generationId 1, protocolType consumer, protocolName range, leader A-1, memberId A-1, members [memberId A-1, metadata <t>]
  g is CompletingRebalance 1 [A-1]
> A syncs assigns=A:t-0
  A syncs: protocolType consumer, protocolName range, assignment t-0
  + group g generation 1, range [A-1=t-0]
  g is Stable 1 [A-1]
> A beats
  A beats: ok

# a client of before version 4 joins without an id
> A joins version=3
  A joins: generationId 1, protocolType consumer, protocolName range, leader A-1, memberId A-1, members [memberId A-1, metadata <t>]
  + group g generation 0 []
  g is CompletingRebalance 1 [A-1]
> A syncs assigns=A:t-0
  A syncs: protocolType consumer, protocolName range, assignment t-0
  + group g generation 1, range [A-1=t-0]
  g is Stable 1 [A-1]

# the leader learns who is there; others wait for its assignment
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
> B syncs
  g is CompletingRebalance 2 [A-1 B-2(syncing)]
> A syncs assigns=A:t-0,B:t-1
  B syncs: protocolType consumer, protocolName range, assignment t-1
  A syncs: protocolType consumer, protocolName range, assignment t-0
  + group g generation 2, range [A-1=t-0 B-2=t-1]
  g is Stable 2 [A-1 B-2]
> B beats
  B beats: ok

# a new member calls everyone back, and commits of the old generation still count meanwhile
> A joins version=3
  A joins: generationId 1, protocolType consumer, protocolName range, leader A-1, memberId A-1, members [memberId A-1, metadata <t>]
  + group g generation 0 []
  g is CompletingRebalance 1 [A-1]
> A syncs assigns=A:t-0
  A syncs: protocolType consumer, protocolName range, assignment t-0
  + group g generation 1, range [A-1=t-0]
  g is Stable 1 [A-1]
> B joins
  B joins: MEMBER_ID_REQUIRED, memberId B-2
  g is Stable 1 [A-1 B-2?]
> B joins
  g is PreparingRebalance 1 [A-1 B-2(joining)]
> A beats
  A beats: REBALANCE_IN_PROGRESS
> A commits t-0=5
  A commits: topics [name t, partitions [partitionIndex 0]]
  + offset g t-0 5
> A joins
  B joins: generationId 2, protocolType consumer, protocolName range, leader A-1, memberId B-2
  A joins: generationId 2, protocolType consumer, protocolName range, leader A-1, memberId A-1, members [memberId A-1, metadata <t>; memberId B-2, metadata <t>]
  g is CompletingRebalance 2 [A-1 B-2]
> B syncs
  g is CompletingRebalance 2 [A-1 B-2(syncing)]
> A syncs assigns=A:t-0,B:t-1
  B syncs: protocolType consumer, protocolName range, assignment t-1
  A syncs: protocolType consumer, protocolName range, assignment t-0
  + group g generation 2, range [A-1=t-0 B-2=t-1]
  g is Stable 2 [A-1 B-2]

# members that stay away for the rebalance timeout are removed
> A joins version=3
  A joins: generationId 1, protocolType consumer, protocolName range, leader A-1, memberId A-1, members [memberId A-1, metadata <t>]
  + group g generation 0 []
  g is CompletingRebalance 1 [A-1]
> A syncs
  A syncs: protocolType consumer, protocolName range
  + group g generation 1, range [A-1=]
  g is Stable 1 [A-1]
> B joins version=3
  g is PreparingRebalance 1 [A-1 B-2(joining)]
> time 9s
> A beats
  A beats: REBALANCE_IN_PROGRESS
> time 9s
> A beats
  A beats: REBALANCE_IN_PROGRESS
> time 9s
> A beats
  A beats: REBALANCE_IN_PROGRESS
> time 9s
> A beats
  A beats: REBALANCE_IN_PROGRESS
> time 9s
> A beats
  A beats: REBALANCE_IN_PROGRESS
> time 9s
> A beats
  A beats: REBALANCE_IN_PROGRESS
> time 6s
  B joins: generationId 2, protocolType consumer, protocolName range, leader B-2, memberId B-2, members [memberId B-2, metadata <t>]
  g is CompletingRebalance 2 [B-2]
> A beats
  A beats: UNKNOWN_MEMBER_ID

# when the leader stays away, another leads
> A joins version=3
  A joins: generationId 1, protocolType consumer, protocolName range, leader A-1, memberId A-1, members [memberId A-1, metadata <t>]
  + group g generation 0 []
  g is CompletingRebalance 1 [A-1]
> B joins version=3 rebalance=2000 session=60000
  g is PreparingRebalance 1 [A-1 B-2(joining)]
> A joins session=60000 rebalance=2000
  B joins: generationId 2, protocolType consumer, protocolName range, leader A-1, memberId B-2
  A joins: generationId 2, protocolType consumer, protocolName range, leader A-1, memberId A-1, members [memberId A-1, metadata <t>; memberId B-2, metadata <t>]
  g is CompletingRebalance 2 [A-1 B-2]
> A syncs
  A syncs: protocolType consumer, protocolName range
  + group g generation 2, range [A-1= B-2=]
  g is Stable 2 [A-1 B-2]
> B syncs
  B syncs: protocolType consumer, protocolName range
> B joins protocols=range:t+u session=60000 rebalance=2000
  g is PreparingRebalance 2 [A-1 B-2(joining)]
> time 2s
  B joins: generationId 3, protocolType consumer, protocolName range, leader B-2, memberId B-2, members [memberId B-2, metadata <t u>]
  g is CompletingRebalance 3 [B-2]

# if nobody comes back, the group waits on until sessions end
> A joins instance=one session=9000 rebalance=2000
  A joins: generationId 1, protocolType consumer, protocolName range, leader one-1, memberId one-1, members [memberId one-1, groupInstanceId one, metadata <t>]
  + group g generation 0 []
  g is CompletingRebalance 1 [one-1]
> B joins version=3 session=9000 rebalance=2000
  g is PreparingRebalance 1 [one-1 B-2(joining)]
> A joins instance=one session=9000 rebalance=2000
  B joins: generationId 2, protocolType consumer, protocolName range, leader one-1, memberId B-2
  A joins: generationId 2, protocolType consumer, protocolName range, leader one-1, memberId one-1, members [memberId one-1, groupInstanceId one, metadata <t>; memberId B-2, metadata <t>]
  g is CompletingRebalance 2 [one-1 B-2]
> A syncs instance=one
  A syncs: protocolType consumer, protocolName range
  + group g generation 2, range [one-1= B-2=]
  g is Stable 2 [one-1 B-2]
> B syncs
  B syncs: protocolType consumer, protocolName range
> B leaves
  B leaves: members [memberId B-2]
  g is PreparingRebalance 2 [one-1]
> time 2s
> time 2s
> time 6s
  + group g generation 3 []
  g is Empty 3 []

# an empty group waits for more members, on while some come, up to the rebalance timeout
> set initialRebalanceDelayMs=3000
> A joins rebalance=8000 version=3
  + group g generation 0 []
  g is PreparingRebalance 0 [A-1(joining)]
> time 2s
> B joins rebalance=8000 version=3
  g is PreparingRebalance 0 [A-1(joining) B-2(joining)]
> time 1s
> C joins rebalance=8000 version=3
  g is PreparingRebalance 0 [A-1(joining) B-2(joining) C-3(joining)]
> time 2s
> time 1s
> time 2s
  A joins: generationId 1, protocolType consumer, protocolName range, leader A-1, memberId A-1, members [memberId A-1, metadata <t>; memberId B-2, metadata <t>; memberId C-3, metadata <t>]
  B joins: generationId 1, protocolType consumer, protocolName range, leader A-1, memberId B-2
  C joins: generationId 1, protocolType consumer, protocolName range, leader A-1, memberId C-3
  g is CompletingRebalance 1 [A-1 B-2 C-3]

# a lone member of an empty group waits one delay
> set initialRebalanceDelayMs=3000
> A joins version=3
  + group g generation 0 []
  g is PreparingRebalance 0 [A-1(joining)]
> time 2999ms
> time 10ms
  A joins: generationId 1, protocolType consumer, protocolName range, leader A-1, memberId A-1, members [memberId A-1, metadata <t>]
  g is CompletingRebalance 1 [A-1]

# members of another type, or without a protocol in common, are sent away
> A joins version=3 protocols=range:t,sticky:t
  A joins: generationId 1, protocolType consumer, protocolName range, leader A-1, memberId A-1, members [memberId A-1, metadata <t>]
  + group g generation 0 []
  g is CompletingRebalance 1 [A-1]
> B joins version=3 type=connect
  B joins: INCONSISTENT_GROUP_PROTOCOL
> B joins version=3 protocols=other:t
  B joins: INCONSISTENT_GROUP_PROTOCOL
> B joins version=3 protocols=sticky:t
  g is PreparingRebalance 1 [A-1 B-4(joining)]
> A joins protocols=range:t,sticky:t
  B joins: generationId 2, protocolType consumer, protocolName sticky, leader A-1, memberId B-4
  A joins: generationId 2, protocolType consumer, protocolName sticky, leader A-1, memberId A-1, members [memberId A-1, metadata <t>; memberId B-4, metadata <t>]
  g is CompletingRebalance 2 [A-1 B-4]
> C joins version=3 protocols=range:t
  C joins: INCONSISTENT_GROUP_PROTOCOL

# a first member needs a type and a protocol
> A joins type=
  A joins: INCONSISTENT_GROUP_PROTOCOL
> A joins protocols=
  A joins: INCONSISTENT_GROUP_PROTOCOL
> A deletes
  A deletes: 69
> A lists
  A lists: []

# most votes choose the protocol
> set initialRebalanceDelayMs=100
> A joins version=3 protocols=range:t,sticky:t
  + group g generation 0 []
  g is PreparingRebalance 0 [A-1(joining)]
> B joins version=3 protocols=sticky:t,range:t
  g is PreparingRebalance 0 [A-1(joining) B-2(joining)]
> C joins version=3 protocols=sticky:t,range:t
  g is PreparingRebalance 0 [A-1(joining) B-2(joining) C-3(joining)]
> time 200ms
  A joins: generationId 1, protocolType consumer, protocolName sticky, leader A-1, memberId A-1, members [memberId A-1, metadata <t>; memberId B-2, metadata <t>; memberId C-3, metadata <t>]
  B joins: generationId 1, protocolType consumer, protocolName sticky, leader A-1, memberId B-2
  C joins: generationId 1, protocolType consumer, protocolName sticky, leader A-1, memberId C-3
  g is CompletingRebalance 1 [A-1 B-2 C-3]

# any protocol type will do
> A joins version=3 type=connect protocols=compatible:t
  A joins: generationId 1, protocolType connect, protocolName compatible, leader A-1, memberId A-1, members [memberId A-1, metadata <t>]
  + group g generation 0 []
  g is CompletingRebalance 1 [A-1]
> A syncs type=connect protocol=compatible assigns=A:tasks
  A syncs: protocolType connect, protocolName compatible, assignment tasks
  + group g generation 1, compatible [A-1=tasks]
  g is Stable 1 [A-1]
> A describes
  A describes: groupId g, groupState Stable, protocolType connect, protocolData compatible, members [memberId A-1, clientId A, clientHost /127.0.0.1, memberMetadata <t>, memberAssignment tasks]

# requests that cannot be right are refused
> A joins session=100
  A joins: INVALID_SESSION_TIMEOUT
> A joins session=1800001
  A joins: INVALID_SESSION_TIMEOUT
> A joins group=
  A joins: INVALID_GROUP_ID
> A syncs group=
  A syncs: INVALID_GROUP_ID
> A beats group=
  A beats: INVALID_GROUP_ID
> A leaves group=
  A leaves: INVALID_GROUP_ID
> A joins id=somebody
  A joins: UNKNOWN_MEMBER_ID, memberId somebody
> A syncs id=somebody generation=1
  A syncs: UNKNOWN_MEMBER_ID
> A beats id=somebody generation=1
  A beats: UNKNOWN_MEMBER_ID
> A leaves id=somebody
  A leaves: members [UNKNOWN_MEMBER_ID, memberId somebody]
> A joins version=3
  A joins: generationId 1, protocolType consumer, protocolName range, leader A-5, memberId A-5, members [memberId A-5, metadata <t>]
  + group g generation 0 []
  g is CompletingRebalance 1 [A-5]
> B joins id=somebody
  B joins: UNKNOWN_MEMBER_ID, memberId somebody
> A syncs generation=7
  A syncs: ILLEGAL_GENERATION
> A syncs type=connect
  A syncs: INCONSISTENT_GROUP_PROTOCOL
> A syncs protocol=sticky
  A syncs: INCONSISTENT_GROUP_PROTOCOL
> A syncs id=somebody
  A syncs: UNKNOWN_MEMBER_ID
> A beats generation=7
  A beats: ILLEGAL_GENERATION
> A beats id=somebody
  A beats: UNKNOWN_MEMBER_ID
> A leaves id=somebody
  A leaves: members [UNKNOWN_MEMBER_ID, memberId somebody]

# an id that was given out and never used is forgotten after a session
> A joins session=6000
  A joins: MEMBER_ID_REQUIRED, memberId A-1
  + group g generation 0 []
  g is Empty 0 [A-1?]
> time 7s
  g is Empty 0 []
> A joins
  A joins: UNKNOWN_MEMBER_ID, memberId A-1

# an id that was given out can be handed back
> A joins session=6000
  A joins: MEMBER_ID_REQUIRED, memberId A-1
  + group g generation 0 []
  g is Empty 0 [A-1?]
> A leaves
  A leaves: members [memberId A-1]
  g is Empty 0 []
> time 10s

# a pending id is waited for when the group rebalances
> A joins version=3
  A joins: generationId 1, protocolType consumer, protocolName range, leader A-1, memberId A-1, members [memberId A-1, metadata <t>]
  + group g generation 0 []
  g is CompletingRebalance 1 [A-1]
> A syncs
  A syncs: protocolType consumer, protocolName range
  + group g generation 1, range [A-1=]
  g is Stable 1 [A-1]
> B joins session=6000
  B joins: MEMBER_ID_REQUIRED, memberId B-2
  g is Stable 1 [A-1 B-2?]
> A joins
  g is PreparingRebalance 1 [A-1(joining) B-2?]
> time 7s
  A joins: generationId 2, protocolType consumer, protocolName range, leader A-1, memberId A-1, members [memberId A-1, metadata <t>]
  g is CompletingRebalance 2 [A-1]

# a member that missed its answer gets it again while its metadata is the same
> A joins version=3
  A joins: generationId 1, protocolType consumer, protocolName range, leader A-1, memberId A-1, members [memberId A-1, metadata <t>]
  + group g generation 0 []
  g is CompletingRebalance 1 [A-1]
> A joins
  A joins: generationId 1, protocolType consumer, protocolName range, leader A-1, memberId A-1, members [memberId A-1, metadata <t>]
> A joins protocols=range:t+u
  A joins: generationId 2, protocolType consumer, protocolName range, leader A-1, memberId A-1, members [memberId A-1, metadata <t u>]
  g is CompletingRebalance 2 [A-1]

# a follower of a stable group that changed nothing learns the generation; the leader rebalances
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
> B joins
  B joins: generationId 2, protocolType consumer, protocolName range, leader A-1, memberId B-2
> B joins protocols=range:u
  g is PreparingRebalance 2 [A-1 B-2(joining)]
> A joins
  B joins: generationId 3, protocolType consumer, protocolName range, leader A-1, memberId B-2
  A joins: generationId 3, protocolType consumer, protocolName range, leader A-1, memberId A-1, members [memberId A-1, metadata <t>; memberId B-2, metadata <u>]
  g is CompletingRebalance 3 [A-1 B-2]
> A syncs
  A syncs: protocolType consumer, protocolName range
  + group g generation 3, range [A-1= B-2=]
  g is Stable 3 [A-1 B-2]
> B syncs
  B syncs: protocolType consumer, protocolName range
> A joins
  g is PreparingRebalance 3 [A-1(joining) B-2]

# a member that joins during a rebalance and asks for its assignment is told to come back
> A joins version=3
  A joins: generationId 1, protocolType consumer, protocolName range, leader A-1, memberId A-1, members [memberId A-1, metadata <t>]
  + group g generation 0 []
  g is CompletingRebalance 1 [A-1]
> B joins version=3
  g is PreparingRebalance 1 [A-1 B-2(joining)]
> A syncs
  A syncs: REBALANCE_IN_PROGRESS
> A joins
  B joins: generationId 2, protocolType consumer, protocolName range, leader A-1, memberId B-2
  A joins: generationId 2, protocolType consumer, protocolName range, leader A-1, memberId A-1, members [memberId A-1, metadata <t>; memberId B-2, metadata <t>]
  g is CompletingRebalance 2 [A-1 B-2]
> B syncs
  g is CompletingRebalance 2 [A-1 B-2(syncing)]
> C joins version=3
  B syncs: REBALANCE_IN_PROGRESS
  g is PreparingRebalance 2 [A-1 B-2 C-4(joining)]

# a group has no more members than it may have
> set maxSize=1
> A joins version=3
  A joins: generationId 1, protocolType consumer, protocolName range, leader A-1, memberId A-1, members [memberId A-1, metadata <t>]
  + group g generation 0 []
  g is CompletingRebalance 1 [A-1]
> B joins version=3
  B joins: GROUP_MAX_SIZE_REACHED
> B joins
  B joins: GROUP_MAX_SIZE_REACHED
> A syncs
  A syncs: protocolType consumer, protocolName range
  + group g generation 1, range [A-1=]
  g is Stable 1 [A-1]
> A beats
  A beats: ok
> C joins version=3
  C joins: GROUP_MAX_SIZE_REACHED

# the last to come back to a group that has become too large find no place
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
> set maxSize=1
> A joins
  g is PreparingRebalance 2 [A-1(joining) B-2]
> B joins
  A joins: generationId 3, protocolType consumer, protocolName range, leader A-1, memberId A-1, members [memberId A-1, metadata <t>]
  B joins: GROUP_MAX_SIZE_REACHED
  g is CompletingRebalance 3 [A-1]

# a member whose JoinGroup waits longer than five minutes is given up, unless it asks again
> A joins version=3 rebalance=600000 session=1000000
  A joins: generationId 1, protocolType consumer, protocolName range, leader A-1, memberId A-1, members [memberId A-1, metadata <t>]
  + group g generation 0 []
  g is CompletingRebalance 1 [A-1]
> A syncs
  A syncs: protocolType consumer, protocolName range
  + group g generation 1, range [A-1=]
  g is Stable 1 [A-1]
> B joins version=3 rebalance=600000
  g is PreparingRebalance 1 [A-1 B-2(joining)]
> time 299s
> time 2s
  B joins: UNKNOWN_MEMBER_ID
  g is PreparingRebalance 1 [A-1]

# a request that is repeated over another connection takes the place of the older one
> A joins version=3
  A joins: generationId 1, protocolType consumer, protocolName range, leader A-1, memberId A-1, members [memberId A-1, metadata <t>]
  + group g generation 0 []
  g is CompletingRebalance 1 [A-1]
> A syncs
  A syncs: protocolType consumer, protocolName range
  + group g generation 1, range [A-1=]
  g is Stable 1 [A-1]
> B joins
  B joins: MEMBER_ID_REQUIRED, memberId B-2
  g is Stable 1 [A-1 B-2?]
> B joins
  g is PreparingRebalance 1 [A-1 B-2(joining)]
> B joins
  B joins: REBALANCE_IN_PROGRESS, memberId B-2
> A joins
  B joins: generationId 2, protocolType consumer, protocolName range, leader A-1, memberId B-2
  A joins: generationId 2, protocolType consumer, protocolName range, leader A-1, memberId A-1, members [memberId A-1, metadata <t>; memberId B-2, metadata <t>]
  g is CompletingRebalance 2 [A-1 B-2]
> B syncs
  g is CompletingRebalance 2 [A-1 B-2(syncing)]
> B syncs
  B syncs: REBALANCE_IN_PROGRESS
> A syncs assigns=B:t-0
  B syncs: protocolType consumer, protocolName range, assignment t-0
  A syncs: protocolType consumer, protocolName range
  + group g generation 2, range [A-1= B-2=t-0]
  g is Stable 2 [A-1 B-2]

# the leader may leave members without assignment
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
> B syncs
  g is CompletingRebalance 2 [A-1 B-2(syncing)]
> A syncs assigns=A:t-0
  B syncs: protocolType consumer, protocolName range
  A syncs: protocolType consumer, protocolName range, assignment t-0
  + group g generation 2, range [A-1=t-0 B-2=]
  g is Stable 2 [A-1 B-2]

# groups are apart
> A joins version=3
  A joins: generationId 1, protocolType consumer, protocolName range, leader A-1, memberId A-1, members [memberId A-1, metadata <t>]
  + group g generation 0 []
  g is CompletingRebalance 1 [A-1]
> B joins group=h version=3
  B joins: generationId 1, protocolType consumer, protocolName range, leader B-2, memberId B-2, members [memberId B-2, metadata <t>]
  + group h generation 0 []
  h is CompletingRebalance 1 [B-2]
> A beats
  A beats: ok
> B beats group=h
  B beats: ok
> B beats
  B beats: UNKNOWN_MEMBER_ID
