# a static member that comes back disturbs nobody, and its old id is fenced
> A joins instance=one
  A joins: generationId 1, protocolType consumer, protocolName range, leader one-1, memberId one-1, members [memberId one-1, groupInstanceId one, metadata <t>]
  + group g generation 0 []
  g is CompletingRebalance 1 [one-1]
> A syncs instance=one assigns=A:t-0
  A syncs: protocolType consumer, protocolName range, assignment t-0
  + group g generation 1, range [one-1=t-0]
  g is Stable 1 [one-1]
> B joins version=3
  g is PreparingRebalance 1 [one-1 B-2(joining)]
> A joins instance=one
  B joins: generationId 2, protocolType consumer, protocolName range, leader one-1, memberId B-2
  A joins: generationId 2, protocolType consumer, protocolName range, leader one-1, memberId one-1, members [memberId one-1, groupInstanceId one, metadata <t>; memberId B-2, metadata <t>]
  g is CompletingRebalance 2 [one-1 B-2]
> A syncs instance=one assigns=A:t-0,B:t-1
  A syncs: protocolType consumer, protocolName range, assignment t-0
  + group g generation 2, range [one-1=t-0 B-2=t-1]
  g is Stable 2 [one-1 B-2]
> B syncs
  B syncs: protocolType consumer, protocolName range, assignment t-1
> A forgot
> A joins instance=one version=9
  A joins: generationId 2, protocolType consumer, protocolName range, leader one-4, skipAssignment true, memberId one-4, members [memberId B-2, metadata <t>; memberId one-4, groupInstanceId one, metadata <t>]
  + group g generation 2, range [B-2=t-1 one-4=t-0]
  g is Stable 2 [B-2 one-4]
> A syncs instance=one
  A syncs: protocolType consumer, protocolName range, assignment t-0
> A beats instance=one
  A beats: ok
> A beats instance=one id=one-1
  A beats: FENCED_INSTANCE_ID
> A syncs instance=one id=one-1
  A syncs: FENCED_INSTANCE_ID
> A joins instance=one id=one-1
  A joins: FENCED_INSTANCE_ID, memberId one-1
> A commits t-0=1 instance=one id=one-1
  A commits: topics [name t, partitions [FENCED_INSTANCE_ID, partitionIndex 0]]
> A leaves instance=one id=one-1
  A leaves: members [FENCED_INSTANCE_ID, memberId one-1, groupInstanceId one]

# before version 9 a leader that comes back is not told that it leads
> A joins instance=one version=5
  A joins: generationId 1, protocolType consumer, protocolName range, leader one-1, memberId one-1, members [memberId one-1, groupInstanceId one, metadata <t>]
  + group g generation 0 []
  g is CompletingRebalance 1 [one-1]
> A syncs instance=one assigns=A:t-0
  A syncs: protocolType consumer, protocolName range, assignment t-0
  + group g generation 1, range [one-1=t-0]
  g is Stable 1 [one-1]
> A forgot
> A joins instance=one version=8
  A joins: generationId 1, protocolType consumer, protocolName range, leader one-1, memberId one-2
  + group g generation 1, range [one-2=t-0]
  g is Stable 1 [one-2]

# a follower that comes back
> A joins instance=one
  A joins: generationId 1, protocolType consumer, protocolName range, leader one-1, memberId one-1, members [memberId one-1, groupInstanceId one, metadata <t>]
  + group g generation 0 []
  g is CompletingRebalance 1 [one-1]
> B joins instance=two
  g is PreparingRebalance 1 [one-1 two-2(joining)]
> A joins instance=one
  B joins: generationId 2, protocolType consumer, protocolName range, leader one-1, memberId two-2
  A joins: generationId 2, protocolType consumer, protocolName range, leader one-1, memberId one-1, members [memberId one-1, groupInstanceId one, metadata <t>; memberId two-2, groupInstanceId two, metadata <t>]
  g is CompletingRebalance 2 [one-1 two-2]
> A syncs instance=one assigns=A:t-0,B:t-1
  A syncs: protocolType consumer, protocolName range, assignment t-0
  + group g generation 2, range [one-1=t-0 two-2=t-1]
  g is Stable 2 [one-1 two-2]
> B syncs instance=two
  B syncs: protocolType consumer, protocolName range, assignment t-1
> B forgot
> B joins instance=two
  B joins: generationId 2, protocolType consumer, protocolName range, leader one-1, memberId two-4
  + group g generation 2, range [one-1=t-0 two-4=t-1]
  g is Stable 2 [one-1 two-4]
> B syncs instance=two
  B syncs: protocolType consumer, protocolName range, assignment t-1

# a static member that comes back and changes the choice of protocol makes a rebalance
> A joins instance=one protocols=range:t,sticky:t
  A joins: generationId 1, protocolType consumer, protocolName range, leader one-1, memberId one-1, members [memberId one-1, groupInstanceId one, metadata <t>]
  + group g generation 0 []
  g is CompletingRebalance 1 [one-1]
> A syncs instance=one
  A syncs: protocolType consumer, protocolName range
  + group g generation 1, range [one-1=]
  g is Stable 1 [one-1]
> B joins version=3 protocols=range:t,sticky:t
  g is PreparingRebalance 1 [one-1 B-2(joining)]
> A joins instance=one protocols=range:t,sticky:t
  B joins: generationId 2, protocolType consumer, protocolName range, leader one-1, memberId B-2
  A joins: generationId 2, protocolType consumer, protocolName range, leader one-1, memberId one-1, members [memberId one-1, groupInstanceId one, metadata <t>; memberId B-2, metadata <t>]
  g is CompletingRebalance 2 [one-1 B-2]
> A syncs instance=one
  A syncs: protocolType consumer, protocolName range
  + group g generation 2, range [one-1= B-2=]
  g is Stable 2 [one-1 B-2]
> B syncs
  B syncs: protocolType consumer, protocolName range
> A forgot
> A joins instance=one protocols=sticky:t
  g is PreparingRebalance 2 [B-2 one-4(joining)]

# a static member that comes back while the leader assigns makes a rebalance
> A joins instance=one
  A joins: generationId 1, protocolType consumer, protocolName range, leader one-1, memberId one-1, members [memberId one-1, groupInstanceId one, metadata <t>]
  + group g generation 0 []
  g is CompletingRebalance 1 [one-1]
> B joins instance=two
  g is PreparingRebalance 1 [one-1 two-2(joining)]
> A joins instance=one
  B joins: generationId 2, protocolType consumer, protocolName range, leader one-1, memberId two-2
  A joins: generationId 2, protocolType consumer, protocolName range, leader one-1, memberId one-1, members [memberId one-1, groupInstanceId one, metadata <t>; memberId two-2, groupInstanceId two, metadata <t>]
  g is CompletingRebalance 2 [one-1 two-2]
> B syncs instance=two
  g is CompletingRebalance 2 [one-1 two-2(syncing)]
> B forgot
> B joins instance=two
  B syncs: FENCED_INSTANCE_ID
  g is PreparingRebalance 2 [one-1 two-4(joining)]

# a static member that comes back while the group prepares is waited for once
> A joins instance=one
  A joins: generationId 1, protocolType consumer, protocolName range, leader one-1, memberId one-1, members [memberId one-1, groupInstanceId one, metadata <t>]
  + group g generation 0 []
  g is CompletingRebalance 1 [one-1]
> A syncs instance=one
  A syncs: protocolType consumer, protocolName range
  + group g generation 1, range [one-1=]
  g is Stable 1 [one-1]
> B joins instance=two
  g is PreparingRebalance 1 [one-1 two-2(joining)]
> B forgot
> B joins instance=two
  B joins: FENCED_INSTANCE_ID, memberId two-2
  g is PreparingRebalance 1 [one-1 two-3(joining)]
> A joins instance=one
  B joins: generationId 2, protocolType consumer, protocolName range, leader one-1, memberId two-3
  A joins: generationId 2, protocolType consumer, protocolName range, leader one-1, memberId one-1, members [memberId one-1, groupInstanceId one, metadata <t>; memberId two-3, groupInstanceId two, metadata <t>]
  g is CompletingRebalance 2 [one-1 two-3]

# static members that are away keep their place until their session ends
> A joins instance=one session=30000 rebalance=5000
  A joins: generationId 1, protocolType consumer, protocolName range, leader one-1, memberId one-1, members [memberId one-1, groupInstanceId one, metadata <t>]
  + group g generation 0 []
  g is CompletingRebalance 1 [one-1]
> B joins version=3 session=30000 rebalance=5000
  g is PreparingRebalance 1 [one-1 B-2(joining)]
> A joins instance=one session=30000 rebalance=5000
  B joins: generationId 2, protocolType consumer, protocolName range, leader one-1, memberId B-2
  A joins: generationId 2, protocolType consumer, protocolName range, leader one-1, memberId one-1, members [memberId one-1, groupInstanceId one, metadata <t>; memberId B-2, metadata <t>]
  g is CompletingRebalance 2 [one-1 B-2]
> A syncs instance=one assigns=A:t-0,B:t-1
  A syncs: protocolType consumer, protocolName range, assignment t-0
  + group g generation 2, range [one-1=t-0 B-2=t-1]
  g is Stable 2 [one-1 B-2]
> B syncs
  B syncs: protocolType consumer, protocolName range, assignment t-1
> B joins protocols=range:t+u session=30000 rebalance=5000
  g is PreparingRebalance 2 [one-1 B-2(joining)]
> time 5s
  B joins: generationId 3, protocolType consumer, protocolName range, leader B-2, memberId B-2, members [memberId one-1, groupInstanceId one, metadata <t>; memberId B-2, metadata <t u>]
  g is CompletingRebalance 3 [one-1 B-2]
> B syncs assigns=A:t-0,B:t-1
  B syncs: protocolType consumer, protocolName range, assignment t-1
  + group g generation 3, range [one-1=t-0 B-2=t-1]
  g is Stable 3 [one-1 B-2]
> time 20s
> B beats
  B beats: ok
> time 11s
  g is PreparingRebalance 3 [B-2]

# a static name of nobody is unknown; that of another fences
> A joins instance=one
  A joins: generationId 1, protocolType consumer, protocolName range, leader one-1, memberId one-1, members [memberId one-1, groupInstanceId one, metadata <t>]
  + group g generation 0 []
  g is CompletingRebalance 1 [one-1]
> A beats instance=two
  A beats: UNKNOWN_MEMBER_ID
> A beats instance=one id=other
  A beats: FENCED_INSTANCE_ID
> B joins version=3
  g is PreparingRebalance 1 [one-1 B-2(joining)]
> B beats instance=one
  B beats: FENCED_INSTANCE_ID

# an administrator removes static members by name
> A joins instance=one
  A joins: generationId 1, protocolType consumer, protocolName range, leader one-1, memberId one-1, members [memberId one-1, groupInstanceId one, metadata <t>]
  + group g generation 0 []
  g is CompletingRebalance 1 [one-1]
> A syncs instance=one
  A syncs: protocolType consumer, protocolName range
  + group g generation 1, range [one-1=]
  g is Stable 1 [one-1]
> admin leaves members=one,two
  admin leaves: members [groupInstanceId one; UNKNOWN_MEMBER_ID, groupInstanceId two]
  + group g generation 2 []
  g is Empty 2 []

# a static member survives a coordinator that crashed
> A joins instance=one
  A joins: generationId 1, protocolType consumer, protocolName range, leader one-1, memberId one-1, members [memberId one-1, groupInstanceId one, metadata <t>]
  + group g generation 0 []
  g is CompletingRebalance 1 [one-1]
> A syncs instance=one assigns=A:t-0
  A syncs: protocolType consumer, protocolName range, assignment t-0
  + group g generation 1, range [one-1=t-0]
  g is Stable 1 [one-1]
> coordinator restarts
  g is Stable 1 [one-1]
> A forgot
> A joins instance=one version=5
  A joins: generationId 1, protocolType consumer, protocolName range, leader one-1, memberId one-2
  + group g generation 1, range [one-2=t-0]
  g is Stable 1 [one-2]
> A syncs instance=one
  A syncs: protocolType consumer, protocolName range, assignment t-0
