# groups are described as they are
> A joins version=3
  A joins: generationId 1, protocolType consumer, protocolName range, leader A-1, memberId A-1, members [memberId A-1, metadata <t>]
  + group g generation 0 []
  g is CompletingRebalance 1 [A-1]
> X describes
  X describes: groupId g, groupState CompletingRebalance, protocolType consumer, members [memberId A-1, clientId A, clientHost /127.0.0.1]
> A syncs assigns=A:t-0
  A syncs: protocolType consumer, protocolName range, assignment t-0
  + group g generation 1, range [A-1=t-0]
  g is Stable 1 [A-1]
> X describes
  X describes: groupId g, groupState Stable, protocolType consumer, protocolData range, members [memberId A-1, clientId A, clientHost /127.0.0.1, memberMetadata <t>, memberAssignment t-0]
> B joins version=3
  g is PreparingRebalance 1 [A-1 B-2(joining)]
> X describes
  X describes: groupId g, groupState PreparingRebalance, protocolType consumer, members [memberId A-1, clientId A, clientHost /127.0.0.1, memberAssignment t-0; memberId B-2, clientId B, clientHost /127.0.0.1]
> A leaves
  B joins: generationId 2, protocolType consumer, protocolName range, leader B-2, memberId B-2, members [memberId B-2, metadata <t>]
  A leaves: members [memberId A-1]
  g is CompletingRebalance 2 [B-2]
> X describes
  X describes: groupId g, groupState CompletingRebalance, protocolType consumer, members [memberId B-2, clientId B, clientHost /127.0.0.1]
> X describes group=unknown version=5
  X describes: groupId unknown, groupState Dead
> X describes group=unknown version=6
  X describes: GROUP_ID_NOT_FOUND, groupId unknown, groupState Dead, errorMessage Group unknown not found.

# groups are listed by state and type
> A joins version=3
  A joins: generationId 1, protocolType consumer, protocolName range, leader A-1, memberId A-1, members [memberId A-1, metadata <t>]
  + group g generation 0 []
  g is CompletingRebalance 1 [A-1]
> A syncs
  A syncs: protocolType consumer, protocolName range
  + group g generation 1, range [A-1=]
  g is Stable 1 [A-1]
> B commits t-0=5 group=h
  B commits: topics [name t, partitions [partitionIndex 0]]
  + offset h t-0 5
  h is Empty 0 []
> X lists
  X lists: [groupId g, protocolType consumer, groupState Stable, groupType classic; groupId h, groupState Empty, groupType classic]
> X lists states=stable
  X lists: [groupId g, protocolType consumer, groupState Stable, groupType classic]
> X lists states=" Empty "
  X lists: [groupId h, groupState Empty, groupType classic]
> X lists types=Classic
  X lists: [groupId g, protocolType consumer, groupState Stable, groupType classic; groupId h, groupState Empty, groupType classic]
> X lists types=consumer
  X lists: []
> X lists states=nonsense
  X lists: []
> X lists types=nonsense
  X lists: []

# only groups without members are deleted, with their offsets
> A joins version=3
  A joins: generationId 1, protocolType consumer, protocolName range, leader A-1, memberId A-1, members [memberId A-1, metadata <t>]
  + group g generation 0 []
  g is CompletingRebalance 1 [A-1]
> A syncs
  A syncs: protocolType consumer, protocolName range
  + group g generation 1, range [A-1=]
  g is Stable 1 [A-1]
> A commits t-0=5 t-1=6
  A commits: topics [name t, partitions [partitionIndex 0]; name t, partitions [partitionIndex 1]]
  + offset g t-0 5
  + offset g t-1 6
> X deletes
  X deletes: 68
> A leaves
  A leaves: members [memberId A-1]
  + group g generation 2 []
  g is Empty 2 []
> X deletes
  X deletes: 0
  - offset g t-0
  - offset g t-1
  - group g
  g is gone
> X deletes
  X deletes: 69
> X lists
  X lists: []
> A fetches
  A fetches: groupId g
> A joins version=3
  A joins: UNKNOWN_MEMBER_ID, memberId A-1

# a deleted group does not come back when the log is read again
> A commits t-0=5
  A commits: topics [name t, partitions [partitionIndex 0]]
  + offset g t-0 5
  g is Empty 0 []
> X deletes
  X deletes: 0
  - offset g t-0
  - group g
  g is gone
> coordinator restarts
> X lists
  X lists: []

# an id that was given out keeps nobody from deleting the group
> A joins
  A joins: MEMBER_ID_REQUIRED, memberId A-1
  + group g generation 0 []
  g is Empty 0 [A-1?]
> X deletes
  X deletes: 0
  - group g
  g is gone
> A joins
  A joins: UNKNOWN_MEMBER_ID, memberId A-1
> time 60s
