# nothing is answered before it is committed, except heartbeats
> A joins version=3
  A joins: generationId 1, protocolType consumer, protocolName range, leader A-1, memberId A-1, members [memberId A-1, metadata <t>]
  + group g generation 0 []
  g is CompletingRebalance 1 [A-1]
> log holds
> A syncs assigns=A:t-0
  + group g generation 1, range [A-1=t-0]
  g is Stable 1 [A-1]
> A beats
  A beats: ok
> A fetches
> A describes
> log commits
  A syncs: protocolType consumer, protocolName range, assignment t-0
  A fetches: groupId g
  A describes: groupId g, groupState Stable, protocolType consumer, protocolData range, members [memberId A-1, clientId A, clientHost /127.0.0.1, memberMetadata <t>, memberAssignment t-0]

# an offset is answered when it is committed, and read only then
> A commits t-0=5
  A commits: topics [name t, partitions [partitionIndex 0]]
  + offset g t-0 5
  g is Empty 0 []
> log holds
> B commits t-0=6 group=h
  + offset h t-0 6
  h is Empty 0 []
> A fetches
  A fetches: groupId g, topics [name t, partitions [partitionIndex 0, committedOffset 5, committedLeaderEpoch -1]]
> B fetches group=h
> log commits
  B commits: topics [name t, partitions [partitionIndex 0]]
  B fetches: groupId h, topics [name t, partitions [partitionIndex 0, committedOffset 6, committedLeaderEpoch -1]]

# a commit that takes too long is refused, and found done later
> log holds
> A commits t-0=5
  + offset g t-0 5
  g is Empty 0 []
> time 5s
  A commits: refused, timed-out
> log commits
> A fetches
  A fetches: groupId g, topics [name t, partitions [partitionIndex 0, committedOffset 5, committedLeaderEpoch -1]]

# an assignment that takes too long is refused, and found done when asked for again
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
> log holds
> A syncs assigns=A:t-0,B:t-1
  + group g generation 2, range [A-1=t-0 B-2=t-1]
  g is Stable 2 [A-1 B-2]
> time 5s
  A syncs: refused, timed-out
  B syncs: refused, timed-out
> log commits
> A syncs
  A syncs: protocolType consumer, protocolName range, assignment t-0
> B syncs
  B syncs: protocolType consumer, protocolName range, assignment t-1

# a log that refuses an assignment leaves the group as it was
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
> log refuses not-enough-replicas
> A syncs assigns=A:t-0,B:t-1
  B syncs: refused, not-enough-replicas
  A syncs: refused, not-enough-replicas
> log accepts
> A syncs assigns=A:t-0,B:t-1
  A syncs: protocolType consumer, protocolName range, assignment t-0
  + group g generation 2, range [A-1=t-0 B-2=t-1]
  g is Stable 2 [A-1 B-2]
> B syncs
  B syncs: protocolType consumer, protocolName range, assignment t-1

# a log that refuses the end of a group sees it later
> A joins version=3
  A joins: generationId 1, protocolType consumer, protocolName range, leader A-1, memberId A-1, members [memberId A-1, metadata <t>]
  + group g generation 0 []
  g is CompletingRebalance 1 [A-1]
> A syncs
  A syncs: protocolType consumer, protocolName range
  + group g generation 1, range [A-1=]
  g is Stable 1 [A-1]
> log refuses not-enough-replicas
> A leaves
  A leaves: refused, not-enough-replicas
> time 11s
> X describes
  X describes: groupId g, groupState Stable, protocolType consumer, protocolData range, members [memberId A-1, clientId A, clientHost /127.0.0.1, memberMetadata <t>]
> log accepts
> time 1s
  + group g generation 2 []
  g is Empty 2 []

# a coordinator that resigns answers everyone who waits
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
> log holds
> A commits t-0=5
  + offset g t-0 5
> coordinator resigns
  B joins: refused, not-leader
  A commits: refused, not-leader
> A beats
  A beats: refused, not-leader

# a new coordinator knows members and assignments, and gives everyone a new session
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
> coordinator restarts
  g is Stable 2 [A-1 B-2]
> time 9s
> A beats
  A beats: ok
> B syncs
  B syncs: protocolType consumer, protocolName range, assignment t-1
> B commits t-1=5
  B commits: topics [name t, partitions [partitionIndex 1]]
  + offset g t-1 5
> time 9s
> A beats
  A beats: ok
> time 2s
  g is PreparingRebalance 2 [A-1]

# a generation that was never assigned is forgotten by a new coordinator
> A joins version=3
  A joins: generationId 1, protocolType consumer, protocolName range, leader A-1, memberId A-1, members [memberId A-1, metadata <t>]
  + group g generation 0 []
  g is CompletingRebalance 1 [A-1]
> coordinator restarts
  g is Empty 0 []
> A syncs assigns=A:t-0
  A syncs: UNKNOWN_MEMBER_ID
> A joins
  A joins: UNKNOWN_MEMBER_ID, memberId A-1
> A forgot
> A joins version=3
  A joins: generationId 1, protocolType consumer, protocolName range, leader A-3, memberId A-3, members [memberId A-3, metadata <t>]
  g is CompletingRebalance 1 [A-3]
> A syncs assigns=A:t-0
  A syncs: protocolType consumer, protocolName range, assignment t-0
  + group g generation 1, range [A-3=t-0]
  g is Stable 1 [A-3]

# a new coordinator shrinks a group that is larger than groups may be by now
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
> coordinator restarts
  g is PreparingRebalance 2 [A-1 B-2]
> A joins
  g is PreparingRebalance 2 [A-1(joining) B-2]
> B joins
  A joins: generationId 3, protocolType consumer, protocolName range, leader A-1, memberId A-1, members [memberId A-1, metadata <t>]
  B joins: GROUP_MAX_SIZE_REACHED
  g is CompletingRebalance 3 [A-1]
