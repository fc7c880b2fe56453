# offsets are kept as given, without metadata as the empty string
> A joins version=3
  A joins: generationId 1, protocolType consumer, protocolName range, leader A-1, memberId A-1, members [memberId A-1, metadata <t>]
  + group g generation 0 []
  g is CompletingRebalance 1 [A-1]
> A syncs
  A syncs: protocolType consumer, protocolName range
  + group g generation 1, range [A-1=]
  g is Stable 1 [A-1]
> A commits t-0=5 t-1=-2 metadata=here
  A commits: topics [name t, partitions [partitionIndex 0]; name t, partitions [partitionIndex 1]]
  + offset g t-0 5 "here"
  + offset g t-1 -2 "here"
> A commits t-2=-1 epoch=4
  A commits: topics [name t, partitions [partitionIndex 2]]
  + offset g t-2 -1
> A fetches t-0 t-1 t-2 t-3
  A fetches: groupId g, topics [name t, partitions [partitionIndex 0, committedOffset 5, committedLeaderEpoch -1, metadata here]; name t, partitions [partitionIndex 1, committedOffset -2, committedLeaderEpoch -1, metadata here]; name t, partitions [partitionIndex 2, committedOffset -1, committedLeaderEpoch 4]; name t, partitions [partitionIndex 3, committedOffset -1, committedLeaderEpoch -1]]
> A fetches
  A fetches: groupId g, topics [name t, partitions [partitionIndex 0, committedOffset 5, committedLeaderEpoch -1, metadata here; partitionIndex 1, committedOffset -2, committedLeaderEpoch -1, metadata here; partitionIndex 2, committedOffset -1, committedLeaderEpoch 4]]
> B fetches group=unknown t-0
  B fetches: groupId unknown, topics [name t, partitions [partitionIndex 0, committedOffset -1, committedLeaderEpoch -1]]
> B fetches group=unknown
  B fetches: groupId unknown

# a consumer without a group commits into an empty one
> A commits t-0=5
  A commits: topics [name t, partitions [partitionIndex 0]]
  + offset g t-0 5
  g is Empty 0 []
> A fetches t-0
  A fetches: groupId g, topics [name t, partitions [partitionIndex 0, committedOffset 5, committedLeaderEpoch -1]]
> A describes
  A describes: groupId g, groupState Empty
> A lists
  A lists: [groupId g, groupState Empty, groupType classic]
> A commits t-0=6
  A commits: topics [name t, partitions [partitionIndex 0]]
  + offset g t-0 6
> A commits t-0=7 id=somebody
  A commits: topics [name t, partitions [partitionIndex 0]]
  + offset g t-0 7
> A commits t-0=7 generation=0 id=somebody
  A commits: topics [name t, partitions [UNKNOWN_MEMBER_ID, partitionIndex 0]]

# a group that was never there accepts no generation
> A commits t-0=5 generation=1 id=A version=8
  A commits: topics [name t, partitions [ILLEGAL_GENERATION, partitionIndex 0]]
> A commits t-0=5 generation=1 id=A version=9
  A commits: topics [name t, partitions [GROUP_ID_NOT_FOUND, partitionIndex 0]]
> A fetches t-0
  A fetches: groupId g, topics [name t, partitions [partitionIndex 0, committedOffset -1, committedLeaderEpoch -1]]

# only members of the generation commit
> A joins version=3
  A joins: generationId 1, protocolType consumer, protocolName range, leader A-1, memberId A-1, members [memberId A-1, metadata <t>]
  + group g generation 0 []
  g is CompletingRebalance 1 [A-1]
> A commits t-0=1
  A commits: topics [name t, partitions [REBALANCE_IN_PROGRESS, partitionIndex 0]]
> A syncs
  A syncs: protocolType consumer, protocolName range
  + group g generation 1, range [A-1=]
  g is Stable 1 [A-1]
> A commits t-0=1 generation=7
  A commits: topics [name t, partitions [ILLEGAL_GENERATION, partitionIndex 0]]
> A commits t-0=1 id=somebody
  A commits: topics [name t, partitions [UNKNOWN_MEMBER_ID, partitionIndex 0]]
> A commits t-0=1 generation=-1 id=
  A commits: topics [name t, partitions [UNKNOWN_MEMBER_ID, partitionIndex 0]]
> A commits t-0=1 generation=-1
  A commits: topics [name t, partitions [ILLEGAL_GENERATION, partitionIndex 0]]
> A commits t-0=1 instance=one
  A commits: topics [name t, partitions [UNKNOWN_MEMBER_ID, partitionIndex 0]]
> A commits t-0=1
  A commits: topics [name t, partitions [partitionIndex 0]]
  + offset g t-0 1

# metadata has a limit, for each partition alone
> A commits t-0=1 metadata=x*4097
  A commits: topics [name t, partitions [OFFSET_METADATA_TOO_LARGE, partitionIndex 0]]
> A commits t-0=1 metadata=x*4
  A commits: topics [name t, partitions [partitionIndex 0]]
  + offset g t-0 1 "xxxx"
  g is Empty 0 []

# an offset of a topic of the same name that was deleted is not shown
> A commits t-0=1 topicId=AAAAAAAAAAAAAAAAAAAAAQ
  A commits: topics [name t, topicId AAAAAAAAAAAAAAAAAAAAAQ, partitions [partitionIndex 0]]
  + offset g t-0 1
  g is Empty 0 []
> A fetches t-0 topicId=AAAAAAAAAAAAAAAAAAAAAQ
  A fetches: groupId g, topics [name t, topicId AAAAAAAAAAAAAAAAAAAAAQ, partitions [partitionIndex 0, committedOffset 1, committedLeaderEpoch -1]]
> A fetches t-0 topicId=AAAAAAAAAAAAAAAAAAAAAg
  A fetches: groupId g, topics [name t, topicId AAAAAAAAAAAAAAAAAAAAAg, partitions [partitionIndex 0, committedOffset -1, committedLeaderEpoch -1]]
> A fetches t-0
  A fetches: groupId g, topics [name t, partitions [partitionIndex 0, committedOffset 1, committedLeaderEpoch -1]]

# offsets survive the coordinator
> A joins version=3
  A joins: generationId 1, protocolType consumer, protocolName range, leader A-1, memberId A-1, members [memberId A-1, metadata <t>]
  + group g generation 0 []
  g is CompletingRebalance 1 [A-1]
> A syncs assigns=A:t-0
  A syncs: protocolType consumer, protocolName range, assignment t-0
  + group g generation 1, range [A-1=t-0]
  g is Stable 1 [A-1]
> A commits t-0=5
  A commits: topics [name t, partitions [partitionIndex 0]]
  + offset g t-0 5
> coordinator restarts
  g is Stable 1 [A-1]
> A fetches
  A fetches: groupId g, topics [name t, partitions [partitionIndex 0, committedOffset 5, committedLeaderEpoch -1]]
> A beats
  A beats: ok
> A commits t-0=6
  A commits: topics [name t, partitions [partitionIndex 0]]
  + offset g t-0 6
> time 11s
  + group g generation 2 []
  g is Empty 2 []
> A fetches
  A fetches: groupId g, topics [name t, partitions [partitionIndex 0, committedOffset 6, committedLeaderEpoch -1]]

# offsets of topics that are read cannot be forgotten, others can
> A joins version=3 protocols=range:t
  A joins: generationId 1, protocolType consumer, protocolName range, leader A-1, memberId A-1, members [memberId A-1, metadata <t>]
  + group g generation 0 []
  g is CompletingRebalance 1 [A-1]
> A syncs
  A syncs: protocolType consumer, protocolName range
  + group g generation 1, range [A-1=]
  g is Stable 1 [A-1]
> A commits t-0=5 u-0=6 u-1=7
  A commits: topics [name t, partitions [partitionIndex 0]; name u, partitions [partitionIndex 0]; name u, partitions [partitionIndex 1]]
  + offset g t-0 5
  + offset g u-0 6
  + offset g u-1 7
> B forgets t-0 u-0 u-5
  B forgets: topics [name t, partitions [GROUP_SUBSCRIBED_TO_TOPIC, partitionIndex 0]; name u, partitions [partitionIndex 0]; name u, partitions [partitionIndex 5]]
  - offset g u-0
> B fetches
  B fetches: groupId g, topics [name t, partitions [partitionIndex 0, committedOffset 5, committedLeaderEpoch -1]; name u, partitions [partitionIndex 1, committedOffset 7, committedLeaderEpoch -1]]
> B forgets u-1 group=
  B forgets: INVALID_GROUP_ID
> B forgets u-1 group=unknown
  B forgets: GROUP_ID_NOT_FOUND

# offsets of members that are no consumers cannot be forgotten while they are there
> A joins version=3 type=connect protocols=c:t
  A joins: generationId 1, protocolType connect, protocolName c, leader A-1, memberId A-1, members [memberId A-1, metadata <t>]
  + group g generation 0 []
  g is CompletingRebalance 1 [A-1]
> A syncs
  A syncs: protocolType connect, protocolName c
  + group g generation 1, c [A-1=]
  g is Stable 1 [A-1]
> A commits t-0=5
  A commits: topics [name t, partitions [partitionIndex 0]]
  + offset g t-0 5
> B forgets t-0
  B forgets: NON_EMPTY_GROUP
> A leaves
  A leaves: members [memberId A-1]
  + group g generation 2 []
  g is Empty 2 []
> B forgets t-0
  B forgets: topics [name t, partitions [partitionIndex 0]]
  - offset g t-0
> B fetches
  B fetches: groupId g

# offsets of a topic that is deleted go with it
> A commits t-0=5 u-0=6 topicId=AAAAAAAAAAAAAAAAAAAAAQ
  A commits: topics [name t, topicId AAAAAAAAAAAAAAAAAAAAAQ, partitions [partitionIndex 0]; name u, topicId AAAAAAAAAAAAAAAAAAAAAQ, partitions [partitionIndex 0]]
  + offset g t-0 5
  + offset g u-0 6
  g is Empty 0 []
> B commits t-0=7 group=h
  B commits: topics [name t, partitions [partitionIndex 0]]
  + offset h t-0 7
  h is Empty 0 []
> C commits t-0=8 group=i topicId=AAAAAAAAAAAAAAAAAAAAAg
  C commits: topics [name t, topicId AAAAAAAAAAAAAAAAAAAAAg, partitions [partitionIndex 0]]
  + offset i t-0 8
  i is Empty 0 []
> topic t id=AAAAAAAAAAAAAAAAAAAAAQ
  topic t deleted: false
  - offset g t-0
  - offset h t-0
> A fetches
  A fetches: groupId g, topics [name u, partitions [partitionIndex 0, committedOffset 6, committedLeaderEpoch -1]]
> C fetches group=i
  C fetches: groupId i, topics [name t, partitions [partitionIndex 0, committedOffset 8, committedLeaderEpoch -1]]

# offsets without a group's members expire a retention after their commit
> set offsetsRetentionMs=86400000
> A commits t-0=5
  A commits: topics [name t, partitions [partitionIndex 0]]
  + offset g t-0 5
  g is Empty 0 []
> time 12h
> A commits t-1=6
  A commits: topics [name t, partitions [partitionIndex 1]]
  + offset g t-1 6
> time 12h
  - offset g t-0
> time 10min
> A fetches
  A fetches: groupId g, topics [name t, partitions [partitionIndex 1, committedOffset 6, committedLeaderEpoch -1]]
> time 12h
  - offset g t-1
  - group g
  g is gone
> A lists
  A lists: []

# offsets of a group expire a retention after it became empty
> set offsetsRetentionMs=86400000
> A joins version=3
  A joins: generationId 1, protocolType consumer, protocolName range, leader A-1, memberId A-1, members [memberId A-1, metadata <t>]
  + group g generation 0 []
  g is CompletingRebalance 1 [A-1]
> A syncs
  A syncs: protocolType consumer, protocolName range
  + group g generation 1, range [A-1=]
  g is Stable 1 [A-1]
> A commits t-0=5
  A commits: topics [name t, partitions [partitionIndex 0]]
  + offset g t-0 5
> A leaves
  A leaves: members [memberId A-1]
  + group g generation 2 []
  g is Empty 2 []
> time 12h
> A fetches
  A fetches: groupId g, topics [name t, partitions [partitionIndex 0, committedOffset 5, committedLeaderEpoch -1]]
> time 12h
  - offset g t-0
  - group g
  g is gone
> time 10min
> A lists
  A lists: []

# offsets of a group with members expire when nobody reads their topic
> set offsetsRetentionMs=3600000
> A joins version=3 protocols=range:t session=1800000
  A joins: generationId 1, protocolType consumer, protocolName range, leader A-1, memberId A-1, members [memberId A-1, metadata <t>]
  + group g generation 0 []
  g is CompletingRebalance 1 [A-1]
> A syncs
  A syncs: protocolType consumer, protocolName range
  + group g generation 1, range [A-1=]
  g is Stable 1 [A-1]
> A commits t-0=5 u-0=6
  A commits: topics [name t, partitions [partitionIndex 0]; name u, partitions [partitionIndex 0]]
  + offset g t-0 5
  + offset g u-0 6
> time 25min
> A beats
  A beats: ok
> time 25min
> A beats
  A beats: ok
> time 20min
  - offset g u-0

# offsets of members whose topics are not known do not expire
> set offsetsRetentionMs=600000
> A joins version=3 type=connect protocols=c:t session=1800000
  A joins: generationId 1, protocolType connect, protocolName c, leader A-1, memberId A-1, members [memberId A-1, metadata <t>]
  + group g generation 0 []
  g is CompletingRebalance 1 [A-1]
> A syncs
  A syncs: protocolType connect, protocolName c
  + group g generation 1, c [A-1=]
  g is Stable 1 [A-1]
> A commits t-0=5 u-0=6
  A commits: topics [name t, partitions [partitionIndex 0]; name u, partitions [partitionIndex 0]]
  + offset g t-0 5
  + offset g u-0 6
> time 25min

# an offset may have been given a retention of its own
> A commits t-0=5 retention=3600000 version=4
  A commits: topics [name t, partitions [partitionIndex 0]]
  + offset g t-0 5 (version 1)
  g is Empty 0 []
> time 50min
> A fetches
  A fetches: groupId g, topics [name t, partitions [partitionIndex 0, committedOffset 5, committedLeaderEpoch -1]]
> time 10min
  - offset g t-0
  - group g
  g is gone
> A fetches
  A fetches: groupId g

# an offset that is to be kept for longer than time can be told is kept for ever
> A commits t-0=5 retention=9223372036854775807 version=4
  A commits: topics [name t, partitions [partitionIndex 0]]
  + offset g t-0 5 (version 1)
  g is Empty 0 []
> time 100d
> A fetches
  A fetches: groupId g, topics [name t, partitions [partitionIndex 0, committedOffset 5, committedLeaderEpoch -1]]

# an empty group without offsets is removed at the next check
> A joins version=3
  A joins: generationId 1, protocolType consumer, protocolName range, leader A-1, memberId A-1, members [memberId A-1, metadata <t>]
  + group g generation 0 []
  g is CompletingRebalance 1 [A-1]
> A leaves
  A leaves: members [memberId A-1]
  + group g generation 2 []
  g is Empty 2 []
> time 10min
  - group g
  g is gone
> A lists
  A lists: []
