# records are acknowledged with the next fetch, once they are durable
> start node 1 voters 1,2,3 epoch 3 leader 2
  is follower in epoch 3, leader 2
  saves epoch 3 leader 2
  asks 2: fetch in epoch 3 at 0@0
  log to 0@0, high watermark unknown, voters 1 2 3
> hold
> answer 2 leader 2 batches 0@3,1-2@3 hw 0
  writes 0-0 of epoch 3: new-0
  writes 1-2 of epoch 3: new-1 new-2
  log to 3@3, high watermark 0, voters 1 2 3
> release
  asks 2: fetch in epoch 3 at 3@3
> answer 2 leader 2 batches 3@3 hw 3
  writes 3-3 of epoch 3: new-3
  asks 2: fetch in epoch 3 at 4@3
  log to 4@3, high watermark 3, voters 1 2 3
> answer 2 leader 2 hw 4
  asks 2: fetch in epoch 3 at 4@3
  log to 4@3, high watermark 4, voters 1 2 3

# the high watermark is never beyond the own end
> start node 1 voters 1,2,3 epoch 3 leader 2
  is follower in epoch 3, leader 2
  saves epoch 3 leader 2
  asks 2: fetch in epoch 3 at 0@0
  log to 0@0, high watermark unknown, voters 1 2 3
> answer 2 leader 2 batches 0@3 hw 9
  writes 0-0 of epoch 3: new-0
  asks 2: fetch in epoch 3 at 1@3
  log to 1@3, high watermark 1, voters 1 2 3

# a log that went another way is cut where the leader says
> start node 1 voters 1,2,3 epoch 5 leader 2 log 1x3,3x4
  is follower in epoch 5, leader 2
  saves epoch 5 leader 2
  asks 2: fetch in epoch 5 at 7@3
  log to 7@3, high watermark unknown, voters 1 2 3
> answer 2 leader 2 diverging 4@2
  says metadata log truncated
  asks 2: fetch in epoch 5 at 3@1
  log to 3@1, high watermark unknown, voters 1 2 3
> answer 2 leader 2 batches 3@5 hw 3
  writes 3-3 of epoch 5: new-3
  asks 2: fetch in epoch 5 at 4@5
  log to 4@5, high watermark 3, voters 1 2 3

# a log that went on too long in its epoch is cut to the leader's end of it
> start node 1 voters 1,2,3 epoch 5 leader 2 log 1x3,3x4
  is follower in epoch 5, leader 2
  saves epoch 5 leader 2
  asks 2: fetch in epoch 5 at 7@3
  log to 7@3, high watermark unknown, voters 1 2 3
> answer 2 leader 2 diverging 5@3
  says metadata log truncated
  asks 2: fetch in epoch 5 at 5@3
  log to 5@3, high watermark unknown, voters 1 2 3

# nothing committed is ever cut
> start node 1 voters 1,2,3 epoch 5 leader 2 log 1x3,3x4
  is follower in epoch 5, leader 2
  saves epoch 5 leader 2
  asks 2: fetch in epoch 5 at 7@3
  log to 7@3, high watermark unknown, voters 1 2 3
> answer 2 leader 2 hw 6
  asks 2: fetch in epoch 5 at 7@3
  log to 7@3, high watermark 6, voters 1 2 3
> answer 2 leader 2 diverging 4@2
  says refused to cut committed records
  asks 3: fetch in epoch 5 at 7@3

# batches that do not fit are left out and asked for again
> start node 1 voters 1,2,3 epoch 3 leader 2
  is follower in epoch 3, leader 2
  saves epoch 3 leader 2
  asks 2: fetch in epoch 3 at 0@0
  log to 0@0, high watermark unknown, voters 1 2 3
> answer 2 leader 2 batches 0@3,2@3
  says metadata batches refused
  writes 0-0 of epoch 3: new-0
  asks 2: fetch in epoch 3 at 1@3
  log to 1@3, high watermark unknown, voters 1 2 3
> answer 2 leader 2 batches 1@9
  says metadata batches refused
  asks 3: fetch in epoch 3 at 1@3
> wait 20

# a leader that is silent for the fetch timeout is lost
> start node 1 voters 1,2,3 epoch 3 leader 2
  is follower in epoch 3, leader 2
  saves epoch 3 leader 2
  asks 2: fetch in epoch 3 at 0@0
  log to 0@0, high watermark unknown, voters 1 2 3
> answer 2 leader 2 hw 0
  asks 2: fetch in epoch 3 at 0@0
  log to 0@0, high watermark 0, voters 1 2 3
> wait 1900
> wait 100
  says quorum leader lost
  is prospective in epoch 3, leader 2
  asks 2: pre-vote in epoch 3 for end 0@0
  asks 3: pre-vote in epoch 3 for end 0@0

# a leader that cannot be reached makes a follower ask the others
> start node 1 voters 1,2,3 epoch 3 leader 2
  is follower in epoch 3, leader 2
  saves epoch 3 leader 2
  asks 2: fetch in epoch 3 at 0@0
  log to 0@0, high watermark unknown, voters 1 2 3
> fail 2
  asks 3: fetch in epoch 3 at 0@0
> answer 3 epoch 4 leader 3
  is follower in epoch 4, leader 3
  saves epoch 4 leader 3
  asks 3: fetch in epoch 4 at 0@0

# an observer never takes its leader for lost, but asks around
> start node 4 voters 1,2,3 epoch 3 leader 2
  is follower in epoch 3, leader 2
  saves epoch 3 leader 2
  asks 2: fetch in epoch 3 at 0@0
  log to 0@0, high watermark unknown, voters 1 2 3
> wait 2100
  asks 2: fetch in epoch 3 at 0@0

# who is no leader any more says who is
> start node 1 voters 1,2,3 epoch 3 leader 2
  is follower in epoch 3, leader 2
  saves epoch 3 leader 2
  asks 2: fetch in epoch 3 at 0@0
  log to 0@0, high watermark unknown, voters 1 2 3
> answer 2 error NOT_LEADER_OR_FOLLOWER epoch 4 leader 3
  is follower in epoch 4, leader 3
  saves epoch 4 leader 3
  asks 3: fetch in epoch 4 at 0@0

# who has nothing to tell is left alone for a while
> start node 1 voters 1,2,3 epoch 3
  is unattached in epoch 3
  saves epoch 3
  asks 3: fetch in epoch 3 at 0@0
  log to 0@0, high watermark unknown, voters 1 2 3
> answer 3 error NOT_LEADER_OR_FOLLOWER epoch 3
  asks 2: fetch in epoch 3 at 0@0

# a leader that wants to go makes its best successor stand at once
> start node 1 voters 1,2,3 epoch 3 leader 2
  is follower in epoch 3, leader 2
  saves epoch 3 leader 2
  asks 2: fetch in epoch 3 at 0@0
  log to 0@0, high watermark unknown, voters 1 2 3
> answer 2 leader 2 hw 0
  asks 2: fetch in epoch 3 at 0@0
  log to 0@0, high watermark 0, voters 1 2 3
> end-epoch from 2 epoch 3 successors 1,3
  says quorum leader lost
  is prospective in epoch 3, leader 2
  asks 2: pre-vote in epoch 3 for end 0@0
  asks 3: pre-vote in epoch 3 for end 0@0
  answers end-quorum-epoch done (epoch 3, leader 2)
> wait 1

# and the next one a little later
> start node 1 voters 1,2,3 epoch 3 leader 2
  is follower in epoch 3, leader 2
  saves epoch 3 leader 2
  asks 2: fetch in epoch 3 at 0@0
  log to 0@0, high watermark unknown, voters 1 2 3
> answer 2 leader 2 hw 0
  asks 2: fetch in epoch 3 at 0@0
  log to 0@0, high watermark 0, voters 1 2 3
> end-epoch from 2 epoch 3 successors 3,1
  answers end-quorum-epoch done (epoch 3, leader 2)
> wait 499
> wait 1
  says quorum leader lost
  is prospective in epoch 3, leader 2
  asks 2: pre-vote in epoch 3 for end 0@0
  asks 3: pre-vote in epoch 3 for end 0@0

# who is not in the list waits longest
> start node 1 voters 1,2,3 epoch 3 leader 2
  is follower in epoch 3, leader 2
  saves epoch 3 leader 2
  asks 2: fetch in epoch 3 at 0@0
  log to 0@0, high watermark unknown, voters 1 2 3
> end-epoch from 2 epoch 3 successors 3
  answers end-quorum-epoch done (epoch 3, leader 2)
> wait 999
> wait 1
  says quorum leader lost
  is prospective in epoch 3, leader 2
  asks 2: pre-vote in epoch 3 for end 0@0
  asks 3: pre-vote in epoch 3 for end 0@0

# two leaders of one epoch are not believed
> start node 1 voters 1,2,3 epoch 3 leader 2
  is follower in epoch 3, leader 2
  saves epoch 3 leader 2
  asks 2: fetch in epoch 3 at 0@0
  log to 0@0, high watermark unknown, voters 1 2 3
> begin-epoch from 3 epoch 3
  says two leaders of one epoch
  answers begin-quorum-epoch UNKNOWN_SERVER_ERROR (epoch 3, leader 2)
> begin-epoch from 1 epoch 3
  says two leaders of one epoch
  answers begin-quorum-epoch UNKNOWN_SERVER_ERROR (epoch 3, leader 2)
> answer 2 epoch 3 leader 3
  asks 2: fetch in epoch 3 at 0@0

# an older leader is told of the newer epoch
> start node 1 voters 1,2,3 epoch 3
  is unattached in epoch 3
  saves epoch 3
  asks 3: fetch in epoch 3 at 0@0
  log to 0@0, high watermark unknown, voters 1 2 3
> begin-epoch from 2 epoch 2
  answers begin-quorum-epoch FENCED_LEADER_EPOCH (epoch 3, leader unknown)
> begin-epoch from 2 epoch 3 voter 3
  is follower in epoch 3, leader 2
  saves epoch 3 leader 2
  asks 2: fetch in epoch 3 at 0@0
  answers begin-quorum-epoch INVALID_VOTER_KEY (epoch 3, leader 2)
> begin-epoch from 2 epoch 3 cluster another
  answers INCONSISTENT_CLUSTER_ID
> end-epoch from 2 epoch 2
  answers end-quorum-epoch FENCED_LEADER_EPOCH (epoch 3, leader 2)

# one that is to stop does not stand for election
> start node 1 voters 1,2,3 epoch 3 leader 2
  is follower in epoch 3, leader 2
  saves epoch 3 leader 2
  asks 2: fetch in epoch 3 at 0@0
  log to 0@0, high watermark unknown, voters 1 2 3
> stop
  may stop
> wait 9000

# one that knows the leader but not where it is reached follows it once it is told
> start node 4 voters 1 dynamic blank epoch 5 leader 1
  is unattached in epoch 5, leader 1
  saves epoch 5 leader 1
  asks 1: fetch in epoch 5 at 0@0
  log to 0@0, high watermark unknown, voters 
> answer 1 leader 1 hw 0
> wait 20
  asks 1: fetch in epoch 5 at 0@0
> answer 1 leader 1 reachable batches 0@5 hw 0
  is follower in epoch 5, leader 1
  saves epoch 5 leader 1
  writes 0-0 of epoch 5: new-0
  asks 1: fetch in epoch 5 at 1@5
  log to 1@5, high watermark 0, voters 

# an answer that comes after its time counts no more, for something else was asked since
> start node 4 voters 1,2,3 epoch 3 leader 2 log 1x3
  is follower in epoch 3, leader 2
  saves epoch 3 leader 2
  asks 2: fetch in epoch 3 at 3@1
  log to 3@1, high watermark unknown, voters 1 2 3
> fail 2
  asks 3: fetch in epoch 3 at 3@1
> wait 2100
  asks 2: fetch in epoch 3 at 3@1
> answer 2 leader 2 snapshot 20-2
  says fetching a metadata checkpoint
  asks 2: fetch-snapshot 20-2 at byte 0
> answer 3 leader 2 snapshot 20-2
> answer 3 leader 2 diverging 1@1
> answer 2 leader 2 bytes 1000
  installs snapshot 20-2
  asks 2: fetch in epoch 3 at 20@2
  log from 20 to 20@2, high watermark 20, voters 1 2 3
