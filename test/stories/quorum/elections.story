# pre-vote, vote, and the first record of the new epoch
> start node 1 voters 1,2,3 epoch 3 log 3x5
  is unattached in epoch 3
  saves epoch 3
  asks 3: fetch in epoch 3 at 5@3
  log to 5@3, high watermark unknown, voters 1 2 3
> wait 1500
  is prospective in epoch 3
  asks 2: pre-vote in epoch 3 for end 5@3
  asks 3: pre-vote in epoch 3 for end 5@3
> answer 2 granted
  is candidate in epoch 4
  saves epoch 4 voted 1
  asks 2: vote in epoch 4 for end 5@3
  asks 3: vote in epoch 4 for end 5@3
> answer 2 granted
  is leader in epoch 4, leader 1
  saves epoch 4 leader 1
  writes 5-5 of epoch 4: leader 1
  asks 2: begin-epoch 4
  asks 3: begin-epoch 4
  log to 6@4, high watermark unknown, voters 1 2 3
> wait 1

# nobody hears of a vote for oneself before it is durable
> start node 1 voters 1,2,3 epoch 3 log 3x5
  is unattached in epoch 3
  saves epoch 3
  asks 3: fetch in epoch 3 at 5@3
  log to 5@3, high watermark unknown, voters 1 2 3
> wait 1500
  is prospective in epoch 3
  asks 2: pre-vote in epoch 3 for end 5@3
  asks 3: pre-vote in epoch 3 for end 5@3
> hold
> answer 2 granted
  is candidate in epoch 4
> release
  saves epoch 4 voted 1
  asks 2: vote in epoch 4 for end 5@3
  asks 3: vote in epoch 4 for end 5@3

# a candidate that is refused asks anew soon, before its time ends, and every time later
> start node 1 voters 1,2,3 epoch 3 log 3x5
  is unattached in epoch 3
  saves epoch 3
  asks 3: fetch in epoch 3 at 5@3
  log to 5@3, high watermark unknown, voters 1 2 3
> wait 1500
  is prospective in epoch 3
  asks 2: pre-vote in epoch 3 for end 5@3
  asks 3: pre-vote in epoch 3 for end 5@3
> answer 2 granted
  is candidate in epoch 4
  saves epoch 4 voted 1
  asks 2: vote in epoch 4 for end 5@3
  asks 3: vote in epoch 4 for end 5@3
> answer 2 rejected
> wait 149
> wait 1
  is prospective in epoch 4
  asks 2: pre-vote in epoch 4 for end 5@3
  asks 3: pre-vote in epoch 4 for end 5@3
> answer 2 granted
  is candidate in epoch 5
  saves epoch 5 voted 1
  asks 2: vote in epoch 5 for end 5@3
  asks 3: vote in epoch 5 for end 5@3
> answer 2 rejected
> wait 299
> wait 1
  is prospective in epoch 5
  asks 2: pre-vote in epoch 5 for end 5@3
  asks 3: pre-vote in epoch 5 for end 5@3

# a candidate that all refuse asks anew
> start node 1 voters 1,2,3 epoch 3 log 3x5
  is unattached in epoch 3
  saves epoch 3
  asks 3: fetch in epoch 3 at 5@3
  log to 5@3, high watermark unknown, voters 1 2 3
> wait 1500
  is prospective in epoch 3
  asks 2: pre-vote in epoch 3 for end 5@3
  asks 3: pre-vote in epoch 3 for end 5@3
> answer 2 granted
  is candidate in epoch 4
  saves epoch 4 voted 1
  asks 2: vote in epoch 4 for end 5@3
  asks 3: vote in epoch 4 for end 5@3
> answer 2 rejected
> answer 3 rejected
  says election lost
> wait 150
  is prospective in epoch 4
  asks 2: pre-vote in epoch 4 for end 5@3
  asks 3: pre-vote in epoch 4 for end 5@3

# a candidate that nobody answers waits for its time to end
> start node 1 voters 1,2,3 epoch 3 log 3x5
  is unattached in epoch 3
  saves epoch 3
  asks 3: fetch in epoch 3 at 5@3
  log to 5@3, high watermark unknown, voters 1 2 3
> wait 1500
  is prospective in epoch 3
  asks 2: pre-vote in epoch 3 for end 5@3
  asks 3: pre-vote in epoch 3 for end 5@3
> answer 2 granted
  is candidate in epoch 4
  saves epoch 4 voted 1
  asks 2: vote in epoch 4 for end 5@3
  asks 3: vote in epoch 4 for end 5@3
> wait 1499
> wait 1
  says election timed out
  is prospective in epoch 4
  asks 2: pre-vote in epoch 4 for end 5@3
  asks 3: pre-vote in epoch 4 for end 5@3

# who loses the pre-vote goes back to the leader it knew
> start node 1 voters 1,2,3 epoch 3 leader 2 log 3x5
  is follower in epoch 3, leader 2
  saves epoch 3 leader 2
  asks 2: fetch in epoch 3 at 5@3
  log to 5@3, high watermark unknown, voters 1 2 3
> answer 2 leader 2 hw 5
  asks 2: fetch in epoch 3 at 5@3
  log to 5@3, high watermark 5, voters 1 2 3
> wait 2000
  says quorum leader lost
  is prospective in epoch 3, leader 2
  asks 2: pre-vote in epoch 3 for end 5@3
  asks 3: pre-vote in epoch 3 for end 5@3
> answer 2 rejected
> answer 3 rejected leader 2
  says election lost
  is follower in epoch 3, leader 2
  saves epoch 3 leader 2
  asks 2: fetch in epoch 3 at 5@3

# who loses the pre-vote without a leader is unattached, in the same epoch
> start node 1 voters 1,2,3 epoch 3 log 3x5
  is unattached in epoch 3
  saves epoch 3
  asks 3: fetch in epoch 3 at 5@3
  log to 5@3, high watermark unknown, voters 1 2 3
> wait 1500
  is prospective in epoch 3
  asks 2: pre-vote in epoch 3 for end 5@3
  asks 3: pre-vote in epoch 3 for end 5@3
> answer 2 rejected
> answer 3 rejected
  says election lost
  is unattached in epoch 3
  saves epoch 3
  asks 3: fetch in epoch 3 at 5@3

# a voter that knows no pre-vote makes a candidate at once
> start node 1 voters 1,2,3 epoch 3 log 3x5
  is unattached in epoch 3
  saves epoch 3
  asks 3: fetch in epoch 3 at 5@3
  log to 5@3, high watermark unknown, voters 1 2 3
> wait 1500
  is prospective in epoch 3
  asks 2: pre-vote in epoch 3 for end 5@3
  asks 3: pre-vote in epoch 3 for end 5@3
> fail 2 with UNSUPPORTED_VERSION
  says a voter knows no pre-vote
  is candidate in epoch 4
  saves epoch 4 voted 1
  asks 2: vote in epoch 4 for end 5@3
  asks 3: vote in epoch 4 for end 5@3

# a vote that comes too late elects nobody
> start node 1 voters 1,2,3 epoch 3 log 3x5
  is unattached in epoch 3
  saves epoch 3
  asks 3: fetch in epoch 3 at 5@3
  log to 5@3, high watermark unknown, voters 1 2 3
> wait 1500
  is prospective in epoch 3
  asks 2: pre-vote in epoch 3 for end 5@3
  asks 3: pre-vote in epoch 3 for end 5@3
> answer 2 granted
  is candidate in epoch 4
  saves epoch 4 voted 1
  asks 2: vote in epoch 4 for end 5@3
  asks 3: vote in epoch 4 for end 5@3
> vote from 3 epoch 9 end 5@3
  is unattached in epoch 9
  is unattached in epoch 9
  saves epoch 9 voted 3
  asks 3: fetch in epoch 9 at 5@3
  answers granted (epoch 9, leader unknown)
> answer 2 granted

# a newer epoch ends every election
> start node 1 voters 1,2,3 epoch 3 log 3x5
  is unattached in epoch 3
  saves epoch 3
  asks 3: fetch in epoch 3 at 5@3
  log to 5@3, high watermark unknown, voters 1 2 3
> wait 1500
  is prospective in epoch 3
  asks 2: pre-vote in epoch 3 for end 5@3
  asks 3: pre-vote in epoch 3 for end 5@3
> begin-epoch from 2 epoch 5
  is follower in epoch 5, leader 2
  saves epoch 5 leader 2
  asks 2: fetch in epoch 5 at 5@3
  answers begin-quorum-epoch done (epoch 5, leader 2)

# an answer that names the leader ends the election
> start node 1 voters 1,2,3 epoch 3 log 3x5
  is unattached in epoch 3
  saves epoch 3
  asks 3: fetch in epoch 3 at 5@3
  log to 5@3, high watermark unknown, voters 1 2 3
> wait 1500
  is prospective in epoch 3
  asks 2: pre-vote in epoch 3 for end 5@3
  asks 3: pre-vote in epoch 3 for end 5@3
> answer 2 rejected epoch 4 leader 3
  is follower in epoch 4, leader 3
  saves epoch 4 leader 3
  asks 3: fetch in epoch 4 at 5@3

# voters that do not answer are asked again
> start node 1 voters 1,2,3 epoch 3 log 3x5
  is unattached in epoch 3
  saves epoch 3
  asks 3: fetch in epoch 3 at 5@3
  log to 5@3, high watermark unknown, voters 1 2 3
> wait 1500
  is prospective in epoch 3
  asks 2: pre-vote in epoch 3 for end 5@3
  asks 3: pre-vote in epoch 3 for end 5@3
> fail 2
> wait 20
  asks 2: pre-vote in epoch 3 for end 5@3
