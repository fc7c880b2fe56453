# unattached: a vote is given once an epoch, and written down before it is told
> start node 1 voters 1,2,3 epoch 3 log 3x5
  is unattached in epoch 3
  saves epoch 3
  asks 3: fetch in epoch 3 at 5@3
  log to 5@3, high watermark unknown, voters 1 2 3
> hold
> vote from 2 epoch 4 end 5@3
  is unattached in epoch 4
  is unattached in epoch 4
> release
  saves epoch 4 voted 2
  asks 3: fetch in epoch 4 at 5@3
  answers granted (epoch 4, leader unknown)
> vote from 3 epoch 4 end 9@3
  answers rejected (epoch 4, leader unknown)
> vote from 2 epoch 4 end 5@3
  answers granted (epoch 4, leader unknown)
> restart
  is unattached in epoch 4
  saves epoch 4 voted 2
  asks 3: fetch in epoch 4 at 5@3
> vote from 3 epoch 4 end 9@3
  answers rejected (epoch 4, leader unknown)

# unattached: only to a log that is at least as new, by epoch and then by end
> start node 1 voters 1,2,3 epoch 3 log 3x5
  is unattached in epoch 3
  saves epoch 3
  asks 3: fetch in epoch 3 at 5@3
  log to 5@3, high watermark unknown, voters 1 2 3
> vote from 2 epoch 4 end 4@3
  is unattached in epoch 4
  saves epoch 4
  asks 3: fetch in epoch 4 at 5@3
  answers rejected (epoch 4, leader unknown)
> vote from 2 epoch 4 end 900@2
  answers rejected (epoch 4, leader unknown)
> vote from 2 epoch 4 end 5@3
  is unattached in epoch 4
  saves epoch 4 voted 2
  answers granted (epoch 4, leader unknown)

# unattached: not to an older epoch
> start node 1 voters 1,2,3 epoch 3 log 3x5
  is unattached in epoch 3
  saves epoch 3
  asks 3: fetch in epoch 3 at 5@3
  log to 5@3, high watermark unknown, voters 1 2 3
> vote from 2 epoch 2 end 9@1
  answers FENCED_LEADER_EPOCH (epoch 3, leader unknown)

# unattached: a pre-vote binds nobody
> start node 1 voters 1,2,3 epoch 3 log 3x5
  is unattached in epoch 3
  saves epoch 3
  asks 3: fetch in epoch 3 at 5@3
  log to 5@3, high watermark unknown, voters 1 2 3
> pre-vote from 2 epoch 3 end 5@3
  answers granted (epoch 3, leader unknown)
> pre-vote from 3 epoch 3 end 5@3
  answers granted (epoch 3, leader unknown)
> pre-vote from 3 epoch 3 end 4@3
  answers rejected (epoch 3, leader unknown)
> vote from 3 epoch 4 end 5@3
  is unattached in epoch 4
  is unattached in epoch 4
  saves epoch 4 voted 3
  asks 3: fetch in epoch 4 at 5@3
  answers granted (epoch 4, leader unknown)
> pre-vote from 2 epoch 4 end 5@3
  answers granted (epoch 4, leader unknown)

# follower: no real vote, and a pre-vote only as long as nothing was fetched
> start node 1 voters 1,2,3 epoch 3 leader 2 log 3x5
  is follower in epoch 3, leader 2
  saves epoch 3 leader 2
  asks 2: fetch in epoch 3 at 5@3
  log to 5@3, high watermark unknown, voters 1 2 3
> vote from 3 epoch 3 end 9@2
  answers rejected (epoch 3, leader 2)
> pre-vote from 3 epoch 3 end 9@3
  answers granted (epoch 3, leader 2)
> answer 2 leader 2 hw 5
  asks 2: fetch in epoch 3 at 5@3
  log to 5@3, high watermark 5, voters 1 2 3
> pre-vote from 3 epoch 3 end 9@3
  answers rejected (epoch 3, leader 2)

# candidate: no real vote in its own epoch, pre-votes if up to date
> start node 1 voters 1,2,3 epoch 4 voted 1 log 3x3
  is candidate in epoch 4
  saves epoch 4 voted 1
  asks 2: vote in epoch 4 for end 3@3
  asks 3: vote in epoch 4 for end 3@3
  log to 3@3, high watermark unknown, voters 1 2 3
> vote from 2 epoch 4 end 9@3
  answers rejected (epoch 4, leader unknown)
> pre-vote from 2 epoch 4 end 3@3
  answers granted (epoch 4, leader unknown)
> pre-vote from 2 epoch 4 end 2@3
  answers rejected (epoch 4, leader unknown)

# leader: neither
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
> vote from 3 epoch 4 end 9@3
  answers rejected (epoch 4, leader 1)
> pre-vote from 3 epoch 4 end 9@4
  answers rejected (epoch 4, leader 1)

# resigned: pre-votes alone
> start node 1 voters 1,2,3 epoch 4 leader 1 log 3x3
  is resigned in epoch 4, leader 1
  saves epoch 4 leader 1
  asks 2: end-epoch 4 successors 
  asks 3: end-epoch 4 successors 
  log to 3@3, high watermark unknown, voters 1 2 3
> vote from 2 epoch 4 end 9@3
  answers rejected (epoch 4, leader 1)
> pre-vote from 2 epoch 4 end 9@3
  answers granted (epoch 4, leader 1)

# prospective: votes as if it did not stand
> start node 1 voters 1,2,3 epoch 3 log 3x3
  is unattached in epoch 3
  saves epoch 3
  asks 3: fetch in epoch 3 at 3@3
  log to 3@3, high watermark unknown, voters 1 2 3
> wait 1500
  is prospective in epoch 3
  asks 2: pre-vote in epoch 3 for end 3@3
  asks 3: pre-vote in epoch 3 for end 3@3
> pre-vote from 2 epoch 3 end 3@3
  answers granted (epoch 3, leader unknown)
> vote from 3 epoch 3 end 3@2
  answers rejected (epoch 3, leader unknown)
> vote from 2 epoch 4 end 3@3
  is unattached in epoch 4
  is unattached in epoch 4
  saves epoch 4 voted 2
  asks 3: fetch in epoch 4 at 3@3
  answers granted (epoch 4, leader unknown)
> vote from 3 epoch 4 end 3@3
  answers rejected (epoch 4, leader unknown)

# requests that make no sense are refused
> start node 1 voters 1,2,3 epoch 3 log 3x3
  is unattached in epoch 3
  saves epoch 3
  asks 3: fetch in epoch 3 at 3@3
  log to 3@3, high watermark unknown, voters 1 2 3
> vote from 2 epoch 4 end 3@4
  answers INVALID_REQUEST (epoch 3, leader unknown)
> pre-vote from 2 epoch 4 end 3@5
  answers INVALID_REQUEST (epoch 3, leader unknown)
> vote from 2 epoch 4 end -1@3
  answers INVALID_REQUEST (epoch 3, leader unknown)
> vote from 1 epoch 4 end 3@3
  answers INVALID_REQUEST (epoch 3, leader unknown)
> vote from 2 epoch 4 end 3@3 cluster another
  answers INCONSISTENT_CLUSTER_ID
> vote from 2 epoch 2147483647 end 3@3
  answers INVALID_REQUEST (epoch 3, leader unknown)
> vote from 2 epoch 4 end 3@3 voter 3
  is unattached in epoch 4
  saves epoch 4
  asks 3: fetch in epoch 4 at 3@3
  answers INVALID_VOTER_KEY (epoch 4, leader unknown)

# a vote is kept through a pre-vote that is lost
> start node 1 voters 1,2,3 epoch 4 voted 2 log 3x3
  is unattached in epoch 4
  saves epoch 4 voted 2
  asks 3: fetch in epoch 4 at 3@3
  log to 3@3, high watermark unknown, voters 1 2 3
> wait 1500
  is prospective in epoch 4
  asks 2: pre-vote in epoch 4 for end 3@3
  asks 3: pre-vote in epoch 4 for end 3@3
> answer 2 rejected
> answer 3 rejected
  says election lost
  is unattached in epoch 4
  saves epoch 4 voted 2
  asks 3: fetch in epoch 4 at 3@3
> vote from 3 epoch 4 end 9@3
  answers rejected (epoch 4, leader unknown)
> vote from 2 epoch 4 end 9@3
  answers granted (epoch 4, leader unknown)
