# commits what a majority has, and nothing before something of its own epoch
> start node 1 voters 1,2,3 epoch 4 voted 1 log 3x3
  is candidate in epoch 4
  saves epoch 4 voted 1
  asks 2: vote in epoch 4 for end 3@3
  asks 3: vote in epoch 4 for end 3@3
  log to 3@3, high watermark unknown, voters 1 2 3
> answer 2 granted
  is leader in epoch 4, leader 1
  saves epoch 4 leader 1
  writes 3-3 of epoch 4: leader 1
  asks 2: begin-epoch 4
  asks 3: begin-epoch 4
  log to 4@4, high watermark unknown, voters 1 2 3
> fetch from 2 epoch 4 at 3@3 waits 0
  answers records from 3, high watermark -1 (epoch 4, leader 1)
> fetch from 2 epoch 4 at 4@4 waits 0
  answers nothing, high watermark 4 (epoch 4, leader 1)
  log to 4@4, high watermark 4, voters 1 2 3
> propose a
  writes 4-4 of epoch 4: a
  log to 5@4, high watermark 4, voters 1 2 3
> hold
> propose b
  writes 5-5 of epoch 4: b
  log to 6@4, high watermark 4, voters 1 2 3
> fetch from 2 epoch 4 at 6@4 waits 0
  answers nothing, high watermark 5 (epoch 4, leader 1)
  log to 6@4, high watermark 5, voters 1 2 3
> fetch from 3 epoch 4 at 6@4 waits 0
  answers nothing, high watermark 6 (epoch 4, leader 1)
  log to 6@4, high watermark 6, voters 1 2 3
> release

# with five voters, three make it
> start node 1 voters 1,2,3,4,5 epoch 4 voted 1 log 3x3
  is candidate in epoch 4
  saves epoch 4 voted 1
  asks 2: vote in epoch 4 for end 3@3
  asks 3: vote in epoch 4 for end 3@3
  asks 4: vote in epoch 4 for end 3@3
  asks 5: vote in epoch 4 for end 3@3
  log to 3@3, high watermark unknown, voters 1 2 3 4 5
> answer 2 granted
> answer 3 granted
  is leader in epoch 4, leader 1
  saves epoch 4 leader 1
  writes 3-3 of epoch 4: leader 1
  asks 2: begin-epoch 4
  asks 3: begin-epoch 4
  asks 4: begin-epoch 4
  asks 5: begin-epoch 4
  log to 4@4, high watermark unknown, voters 1 2 3 4 5
> fetch from 2 epoch 4 at 4@4 waits 0
  answers nothing, high watermark -1 (epoch 4, leader 1)
> fetch from 3 epoch 4 at 4@4 waits 0
  answers nothing, high watermark 4 (epoch 4, leader 1)
  log to 4@4, high watermark 4, voters 1 2 3 4 5

# an observer counts for nothing
> start node 1 voters 1,2,3 epoch 4 voted 1 log 3x3
  is candidate in epoch 4
  saves epoch 4 voted 1
  asks 2: vote in epoch 4 for end 3@3
  asks 3: vote in epoch 4 for end 3@3
  log to 3@3, high watermark unknown, voters 1 2 3
> answer 2 granted
  is leader in epoch 4, leader 1
  saves epoch 4 leader 1
  writes 3-3 of epoch 4: leader 1
  asks 2: begin-epoch 4
  asks 3: begin-epoch 4
  log to 4@4, high watermark unknown, voters 1 2 3
> fetch from 9 epoch 4 at 4@4 waits 0
  answers nothing, high watermark -1 (epoch 4, leader 1)

# a fetch waits for records, for the high watermark, or for its time to end
> start node 1 voters 1,2,3 epoch 4 voted 1 log 3x3
  is candidate in epoch 4
  saves epoch 4 voted 1
  asks 2: vote in epoch 4 for end 3@3
  asks 3: vote in epoch 4 for end 3@3
  log to 3@3, high watermark unknown, voters 1 2 3
> answer 2 granted
  is leader in epoch 4, leader 1
  saves epoch 4 leader 1
  writes 3-3 of epoch 4: leader 1
  asks 2: begin-epoch 4
  asks 3: begin-epoch 4
  log to 4@4, high watermark unknown, voters 1 2 3
> fetch from 2 epoch 4 at 4@4
  answers nothing, high watermark 4 (epoch 4, leader 1)
  log to 4@4, high watermark 4, voters 1 2 3
> fetch from 2 epoch 4 at 4@4 knows 4
> propose a
  writes 4-4 of epoch 4: a
  answers records from 4, high watermark 4 (epoch 4, leader 1)
  log to 5@4, high watermark 4, voters 1 2 3
> fetch from 3 epoch 4 at 5@4 knows 5
  log to 5@4, high watermark 5, voters 1 2 3
> wait 500
  answers nothing, high watermark 5 (epoch 4, leader 1)

# those who wait are told when it leads no more
> start node 1 voters 1,2,3 epoch 4 voted 1 log 3x3
  is candidate in epoch 4
  saves epoch 4 voted 1
  asks 2: vote in epoch 4 for end 3@3
  asks 3: vote in epoch 4 for end 3@3
  log to 3@3, high watermark unknown, voters 1 2 3
> answer 2 granted
  is leader in epoch 4, leader 1
  saves epoch 4 leader 1
  writes 3-3 of epoch 4: leader 1
  asks 2: begin-epoch 4
  asks 3: begin-epoch 4
  log to 4@4, high watermark unknown, voters 1 2 3
> fetch from 2 epoch 4 at 4@4
  answers nothing, high watermark 4 (epoch 4, leader 1)
  log to 4@4, high watermark 4, voters 1 2 3
> fetch from 2 epoch 4 at 4@4 knows 4
> begin-epoch from 3 epoch 5
  is follower in epoch 5, leader 3
  saves epoch 5 leader 3
  asks 3: fetch in epoch 5 at 4@4
  answers NOT_LEADER_OR_FOLLOWER (epoch 5, leader 3)
  answers begin-quorum-epoch done (epoch 5, leader 3)

# a replica that went another way is told where
> start node 1 voters 1,2,3 epoch 9 voted 1 log 1x3,3x4
  is candidate in epoch 9
  saves epoch 9 voted 1
  asks 2: vote in epoch 9 for end 7@3
  asks 3: vote in epoch 9 for end 7@3
  log to 7@3, high watermark unknown, voters 1 2 3
> answer 2 granted
  is leader in epoch 9, leader 1
  saves epoch 9 leader 1
  writes 7-7 of epoch 9: leader 1
  asks 2: begin-epoch 9
  asks 3: begin-epoch 9
  log to 8@9, high watermark unknown, voters 1 2 3
> fetch from 2 epoch 9 at 9@3 waits 0
  answers diverging at 7@3, high watermark -1 (epoch 9, leader 1)
> fetch from 2 epoch 9 at 5@2 waits 0
  answers diverging at 3@1, high watermark -1 (epoch 9, leader 1)
> fetch from 2 epoch 9 at 3@1 waits 0
  answers records from 3, high watermark -1 (epoch 9, leader 1)
> fetch from 2 epoch 9 at 4@1 waits 0
  answers diverging at 3@1, high watermark -1 (epoch 9, leader 1)

# fetches are fenced by epoch, and must make sense
> start node 1 voters 1,2,3 epoch 4 voted 1 log 3x3
  is candidate in epoch 4
  saves epoch 4 voted 1
  asks 2: vote in epoch 4 for end 3@3
  asks 3: vote in epoch 4 for end 3@3
  log to 3@3, high watermark unknown, voters 1 2 3
> answer 2 granted
  is leader in epoch 4, leader 1
  saves epoch 4 leader 1
  writes 3-3 of epoch 4: leader 1
  asks 2: begin-epoch 4
  asks 3: begin-epoch 4
  log to 4@4, high watermark unknown, voters 1 2 3
> fetch from 2 epoch 3 at 3@3
  answers FENCED_LEADER_EPOCH (epoch 4, leader 1)
> fetch from 2 epoch 5 at 3@3
  answers UNKNOWN_LEADER_EPOCH (epoch 4, leader 1)
> fetch from 2 epoch 4 at -1@3
  answers INVALID_REQUEST (epoch 4, leader 1)
> fetch from 2 epoch 4 at 3@5
  answers INVALID_REQUEST (epoch 4, leader 1)
> fetch from 2 epoch 4 at 3@3 waits -1
  answers INVALID_REQUEST (epoch 4, leader 1)
> fetch from 1 epoch 4 at 3@3
  answers INVALID_REQUEST (epoch 4, leader 1)
> fetch from 2 epoch 4 at 3@3 cluster another
  answers INCONSISTENT_CLUSTER_ID

# one that is no leader says so
> start node 1 voters 1,2,3 epoch 3 leader 2
  is follower in epoch 3, leader 2
  saves epoch 3 leader 2
  asks 2: fetch in epoch 3 at 0@0
  log to 0@0, high watermark unknown, voters 1 2 3
> fetch from 3 epoch 3 at 0@0
  answers NOT_LEADER_OR_FOLLOWER (epoch 3, leader 2)

# without a majority that fetches it resigns, and stands again an epoch later
> start node 1 voters 1,2,3 epoch 4 voted 1 log 3x3
  is candidate in epoch 4
  saves epoch 4 voted 1
  asks 2: vote in epoch 4 for end 3@3
  asks 3: vote in epoch 4 for end 3@3
  log to 3@3, high watermark unknown, voters 1 2 3
> answer 2 granted
  is leader in epoch 4, leader 1
  saves epoch 4 leader 1
  writes 3-3 of epoch 4: leader 1
  asks 2: begin-epoch 4
  asks 3: begin-epoch 4
  log to 4@4, high watermark unknown, voters 1 2 3
> wait 2900
  asks 2: begin-epoch 4
  asks 3: begin-epoch 4
> wait 100
  says no majority of voters fetches
  is resigned in epoch 4, leader 1
  asks 2: end-epoch 4 successors 2,3
  asks 3: end-epoch 4 successors 2,3
> answer 2
> wait 1500
  is unattached in epoch 5
  is prospective in epoch 5
  saves epoch 5
  asks 2: pre-vote in epoch 5 for end 4@4
  asks 3: pre-vote in epoch 5 for end 4@4

# a majority that fetches keeps it in office
> start node 1 voters 1,2,3 epoch 4 voted 1 log 3x3
  is candidate in epoch 4
  saves epoch 4 voted 1
  asks 2: vote in epoch 4 for end 3@3
  asks 3: vote in epoch 4 for end 3@3
  log to 3@3, high watermark unknown, voters 1 2 3
> answer 2 granted
  is leader in epoch 4, leader 1
  saves epoch 4 leader 1
  writes 3-3 of epoch 4: leader 1
  asks 2: begin-epoch 4
  asks 3: begin-epoch 4
  log to 4@4, high watermark unknown, voters 1 2 3
> wait 2900
  asks 2: begin-epoch 4
  asks 3: begin-epoch 4
> fetch from 2 epoch 4 at 4@4 waits 0
  answers nothing, high watermark 4 (epoch 4, leader 1)
  log to 4@4, high watermark 4, voters 1 2 3
> wait 2900
  asks 2: begin-epoch 4
  asks 3: begin-epoch 4

# voters that do not fetch are reminded of who leads
> start node 1 voters 1,2,3 epoch 4 voted 1 log 3x3
  is candidate in epoch 4
  saves epoch 4 voted 1
  asks 2: vote in epoch 4 for end 3@3
  asks 3: vote in epoch 4 for end 3@3
  log to 3@3, high watermark unknown, voters 1 2 3
> answer 2 granted
  is leader in epoch 4, leader 1
  saves epoch 4 leader 1
  writes 3-3 of epoch 4: leader 1
  asks 2: begin-epoch 4
  asks 3: begin-epoch 4
  log to 4@4, high watermark unknown, voters 1 2 3
> fetch from 2 epoch 4 at 4@4 waits 0
  answers nothing, high watermark 4 (epoch 4, leader 1)
  log to 4@4, high watermark 4, voters 1 2 3
> answer 2
> answer 3
> wait 999
> wait 1
  asks 2: begin-epoch 4
  asks 3: begin-epoch 4

# asked to resign, it names its successors, the most advanced first
> start node 1 voters 1,2,3 epoch 4 voted 1 log 3x3
  is candidate in epoch 4
  saves epoch 4 voted 1
  asks 2: vote in epoch 4 for end 3@3
  asks 3: vote in epoch 4 for end 3@3
  log to 3@3, high watermark unknown, voters 1 2 3
> answer 2 granted
  is leader in epoch 4, leader 1
  saves epoch 4 leader 1
  writes 3-3 of epoch 4: leader 1
  asks 2: begin-epoch 4
  asks 3: begin-epoch 4
  log to 4@4, high watermark unknown, voters 1 2 3
> fetch from 3 epoch 4 at 4@4 waits 0
  answers nothing, high watermark 4 (epoch 4, leader 1)
  log to 4@4, high watermark 4, voters 1 2 3
> resign
  is resigned in epoch 4, leader 1
  asks 2: end-epoch 4 successors 3,2
  asks 3: end-epoch 4 successors 3,2
> propose a
  refused

# to stop, it waits until another leads
> start node 1 voters 1,2,3 epoch 4 voted 1 log 3x3
  is candidate in epoch 4
  saves epoch 4 voted 1
  asks 2: vote in epoch 4 for end 3@3
  asks 3: vote in epoch 4 for end 3@3
  log to 3@3, high watermark unknown, voters 1 2 3
> answer 2 granted
  is leader in epoch 4, leader 1
  saves epoch 4 leader 1
  writes 3-3 of epoch 4: leader 1
  asks 2: begin-epoch 4
  asks 3: begin-epoch 4
  log to 4@4, high watermark unknown, voters 1 2 3
> stop
  is resigned in epoch 4, leader 1
  asks 2: end-epoch 4 successors 2,3
  asks 3: end-epoch 4 successors 2,3
  may not stop yet
> vote from 2 epoch 5 end 4@4
  is unattached in epoch 5
  is unattached in epoch 5
  saves epoch 5 voted 2
  answers granted (epoch 5, leader unknown)
> begin-epoch from 2 epoch 5
  is follower in epoch 5, leader 2
  saves epoch 5 leader 2 voted 2
  answers begin-quorum-epoch done (epoch 5, leader 2)
> stop
  may stop

# a sole voter may stop at once
> start node 1 voters 1
  is unattached in epoch 0
  is prospective in epoch 0
  is candidate in epoch 1
  is leader in epoch 1, leader 1
  saves epoch 1 leader 1
  writes 0-0 of epoch 1: leader 1
  log to 1@1, high watermark 1, voters 1
> stop
  is resigned in epoch 1, leader 1
  may stop
