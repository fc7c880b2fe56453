# who is behind the start of the log is sent to the checkpoint
> start node 1 voters 1,2 epoch 4 voted 1 snapshot 5-2 log 3x2
  is candidate in epoch 4
  saves epoch 4 voted 1
  asks 2: vote in epoch 4 for end 7@3
  log from 5 to 7@3, high watermark 5, voters 1 2
> answer 2 granted
  is leader in epoch 4, leader 1
  saves epoch 4 leader 1
  writes 7-7 of epoch 4: leader 1
  asks 2: begin-epoch 4
  log from 5 to 8@4, high watermark 5, voters 1 2
> fetch from 2 epoch 4 at 0@0 waits 0
  answers take snapshot 5-2, high watermark -1 (epoch 4, leader 1)
> fetch from 2 epoch 4 at 3@1 waits 0
  answers take snapshot 5-2, high watermark -1 (epoch 4, leader 1)
> fetch from 2 epoch 4 at 5@2 waits 0
  answers records from 5, high watermark -1 (epoch 4, leader 1)
> fetch from 2 epoch 4 at 5@1 waits 0
  answers take snapshot 5-2, high watermark -1 (epoch 4, leader 1)

# a checkpoint is served in parts
> start node 1 voters 1,2 epoch 4 voted 1 snapshot 5-2 log 3x2
  is candidate in epoch 4
  saves epoch 4 voted 1
  asks 2: vote in epoch 4 for end 7@3
  log from 5 to 7@3, high watermark 5, voters 1 2
> answer 2 granted
  is leader in epoch 4, leader 1
  saves epoch 4 leader 1
  writes 7-7 of epoch 4: leader 1
  asks 2: begin-epoch 4
  log from 5 to 8@4, high watermark 5, voters 1 2
> fetch-snapshot from 2 epoch 4 id 5-2
  answers bytes from 0 (epoch 4, leader 1)
> fetch-snapshot from 2 epoch 4 id 5-2 position -1
  answers POSITION_OUT_OF_RANGE (epoch 4, leader 1)
> fetch-snapshot from 2 epoch 4 id 6-2
  answers SNAPSHOT_NOT_FOUND (epoch 4, leader 1)
> fetch-snapshot from 2 epoch 3 id 5-2
  answers FENCED_LEADER_EPOCH (epoch 4, leader 1)

# the bootstrap checkpoint never travels
> start node 1 voters 1 dynamic
  is unattached in epoch 0
  is prospective in epoch 0
  is candidate in epoch 1
  is leader in epoch 1, leader 1
  saves epoch 1 leader 1
  writes 0-2 of epoch 1: leader 1 kraft.version 1 voters 1
  log to 3@1, high watermark 3, voters 1/dir1
> fetch-snapshot from 2 epoch 1 id 0-0
  answers SNAPSHOT_NOT_FOUND (epoch 1, leader 1)
> fetch from 2 epoch 1 at 0@0 waits 0
  answers records from 0, high watermark 3 (epoch 1, leader 1)

# a checkpoint is fetched, put in the place of the log, and followed by what comes after it
> start node 1 voters 1,2,3 epoch 7 leader 2 log 1x3
  is follower in epoch 7, leader 2
  saves epoch 7 leader 2
  asks 2: fetch in epoch 7 at 3@1
  log to 3@1, high watermark unknown, voters 1 2 3
> answer 2 leader 2 snapshot 20-6
  says fetching a metadata checkpoint
  asks 2: fetch-snapshot 20-6 at byte 0
> answer 2 leader 2 bytes 10
  asks 2: fetch-snapshot 20-6 at byte 10
> answer 2 leader 2 bytes 1000
  installs snapshot 20-6
  asks 2: fetch in epoch 7 at 20@6
  log from 20 to 20@6, high watermark 20, voters 1 2 3
> answer 2 leader 2 batches 20@7 hw 20
  writes 20-20 of epoch 7: new-20
  asks 2: fetch in epoch 7 at 21@7
  log from 20 to 21@7, high watermark 20, voters 1 2 3

# one that the leader deleted meanwhile is forgotten
> start node 1 voters 1,2,3 epoch 7 leader 2 log 1x3
  is follower in epoch 7, leader 2
  saves epoch 7 leader 2
  asks 2: fetch in epoch 7 at 3@1
  log to 3@1, high watermark unknown, voters 1 2 3
> answer 2 leader 2 snapshot 20-6
  says fetching a metadata checkpoint
  asks 2: fetch-snapshot 20-6 at byte 0
> answer 2 leader 2 error SNAPSHOT_NOT_FOUND
  says metadata checkpoint dropped
  asks 2: fetch in epoch 7 at 3@1

# a new leader means a new beginning
> start node 1 voters 1,2,3 epoch 7 leader 2 log 1x3
  is follower in epoch 7, leader 2
  saves epoch 7 leader 2
  asks 2: fetch in epoch 7 at 3@1
  log to 3@1, high watermark unknown, voters 1 2 3
> answer 2 leader 2 snapshot 20-6
  says fetching a metadata checkpoint
  asks 2: fetch-snapshot 20-6 at byte 0
> begin-epoch from 3 epoch 8
  is follower in epoch 8, leader 3
  saves epoch 8 leader 3
  asks 3: fetch in epoch 8 at 3@1
  answers begin-quorum-epoch done (epoch 8, leader 3)

# while a checkpoint is put in place nothing else is begun
> start node 1 voters 1,2,3 epoch 7 leader 2 log 1x3
  is follower in epoch 7, leader 2
  saves epoch 7 leader 2
  asks 2: fetch in epoch 7 at 3@1
  log to 3@1, high watermark unknown, voters 1 2 3
> answer 2 leader 2 snapshot 20-6
  says fetching a metadata checkpoint
  asks 2: fetch-snapshot 20-6 at byte 0
> hold
> answer 2 leader 2
> wait 9000
> release
  installs snapshot 20-6
  says quorum leader lost
  is prospective in epoch 7, leader 2
  asks 2: pre-vote in epoch 7 for end 20@6
  asks 3: pre-vote in epoch 7 for end 20@6
  log from 20 to 20@6, high watermark 20, voters 1 2 3

# a log that was emptied at its checkpoint goes on from there
> start node 1 voters 1,2,3 epoch 7 leader 2 snapshot 20-6
  is follower in epoch 7, leader 2
  saves epoch 7 leader 2
  asks 2: fetch in epoch 7 at 20@6
  log from 20 to 20@6, high watermark 20, voters 1 2 3
> answer 2 leader 2 batches 20@7 hw 21
  writes 20-20 of epoch 7: new-20
  asks 2: fetch in epoch 7 at 21@7
  log from 20 to 21@7, high watermark 21, voters 1 2 3
