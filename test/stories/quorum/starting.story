# a sole voter leads at once, and counts as committed what is durable
> start node 1 voters 1
  is unattached in epoch 0
  is prospective in epoch 0
  is candidate in epoch 1
  is leader in epoch 1, leader 1
  saves epoch 1 leader 1
  writes 0-0 of epoch 1: leader 1
  log to 1@1, high watermark 1, voters 1
> propose a b
  writes 1-2 of epoch 1: a b
  log to 3@1, high watermark 3, voters 1
> hold
> propose c
  writes 3-3 of epoch 1: c
  log to 4@1, high watermark 3, voters 1
> release
  log to 4@1, high watermark 4, voters 1

# a sole voter that led before leads one epoch on, for records of the old one may be lost
> start node 1 voters 1 epoch 4 leader 1 log 4x3
  is resigned in epoch 4, leader 1
  is prospective in epoch 4, leader 1
  is candidate in epoch 5
  is leader in epoch 5, leader 1
  saves epoch 5 leader 1
  writes 3-3 of epoch 5: leader 1
  log to 4@5, high watermark 4, voters 1

# the voters of a dynamic quorum go from the checkpoint into the log, once
> start node 1 voters 1 dynamic
  is unattached in epoch 0
  is prospective in epoch 0
  is candidate in epoch 1
  is leader in epoch 1, leader 1
  saves epoch 1 leader 1
  writes 0-2 of epoch 1: leader 1 kraft.version 1 voters 1
  log to 3@1, high watermark 3, voters 1/dir1
> restart
  is resigned in epoch 1, leader 1
  is prospective in epoch 1, leader 1
  is candidate in epoch 2
  is leader in epoch 2, leader 1
  saves epoch 2 leader 1
  writes 3-3 of epoch 2: leader 1
  log to 4@2, high watermark 4, voters 1/dir1

# a new voter first asks around, then stands for election
> start node 1 voters 1,2,3
  is unattached in epoch 0
  saves epoch 0
  asks 3: fetch in epoch 0 at 0@0
  log to 0@0, high watermark unknown, voters 1 2 3
> wait 1500
  is prospective in epoch 0
  asks 2: pre-vote in epoch 0 for end 0@0
  asks 3: pre-vote in epoch 0 for end 0@0

# one that led before resigns first: its vote of that epoch is given, and its records may be lost
> start node 1 voters 1,2,3 epoch 4 leader 1 log 4x3
  is resigned in epoch 4, leader 1
  saves epoch 4 leader 1
  asks 2: end-epoch 4 successors 
  asks 3: end-epoch 4 successors 
  log to 3@4, high watermark unknown, voters 1 2 3
> vote from 2 epoch 4 end 9@3
  answers rejected (epoch 4, leader 1)
> wait 1500
  is unattached in epoch 5
  is prospective in epoch 5
  saves epoch 5
  asks 2: pre-vote in epoch 5 for end 3@4
  asks 3: pre-vote in epoch 5 for end 3@4

# one that had voted for itself goes on as candidate of that epoch
> start node 1 voters 1,2,3 epoch 4 voted 1 log 3x3
  is candidate in epoch 4
  saves epoch 4 voted 1
  asks 2: vote in epoch 4 for end 3@3
  asks 3: vote in epoch 4 for end 3@3
  log to 3@3, high watermark unknown, voters 1 2 3

# one that had voted for another keeps that vote
> start node 1 voters 1,2,3 epoch 4 voted 2 log 3x3
  is unattached in epoch 4
  saves epoch 4 voted 2
  asks 3: fetch in epoch 4 at 3@3
  log to 3@3, high watermark unknown, voters 1 2 3
> vote from 3 epoch 4 end 9@3
  answers rejected (epoch 4, leader unknown)
> vote from 2 epoch 4 end 9@3
  answers granted (epoch 4, leader unknown)

# one that knew the leader follows it
> start node 1 voters 1,2,3 epoch 4 leader 2 log 4x3
  is follower in epoch 4, leader 2
  saves epoch 4 leader 2
  asks 2: fetch in epoch 4 at 3@4
  log to 3@4, high watermark unknown, voters 1 2 3

# a vote file older than the log gives way to the log
> start node 1 voters 1,2,3 epoch 2 leader 1 log 4x3
  says vote file is older than the log
  is unattached in epoch 4
  saves epoch 4
  asks 3: fetch in epoch 4 at 3@4
  log to 3@4, high watermark unknown, voters 1 2 3

# one that is no voter never stands for election
> start node 4 voters 1,2,3
  is unattached in epoch 0
  saves epoch 0
  asks 2: fetch in epoch 0 at 0@0
  log to 0@0, high watermark unknown, voters 1 2 3
> wait 6000
  asks 2: fetch in epoch 0 at 0@0
  asks 2: fetch in epoch 0 at 0@0
  asks 2: fetch in epoch 0 at 0@0

# one that had voted for itself, and is no voter any more, does not go on as candidate
> start node 4 voters 1,2,3 epoch 4 voted 4 log 3x3
  is unattached in epoch 4
  saves epoch 4 voted 4
  asks 2: fetch in epoch 4 at 3@3
  log to 3@3, high watermark unknown, voters 1 2 3
> wait 9000
  asks 2: fetch in epoch 4 at 3@3
  asks 2: fetch in epoch 4 at 3@3
  asks 2: fetch in epoch 4 at 3@3
  asks 2: fetch in epoch 4 at 3@3
