# an observer that has caught up becomes a voter
> start node 1 voters 1 dynamic
  is unattached in epoch 0
  is prospective in epoch 0
  is candidate in epoch 1
  is leader in epoch 1, leader 1
  saves epoch 1 leader 1
  writes 0-2 of epoch 1: leader 1 kraft.version 1 voters 1
  log to 3@1, high watermark 3, voters 1/dir1
> fetch from 2 epoch 1 at 3@1 waits 0
  answers nothing, high watermark 3 (epoch 1, leader 1)
> add-voter 2
  asks 2: api-versions
> answer 2
  writes 3-3 of epoch 1: voters 1,2
  log to 4@1, high watermark 3, voters 1/dir1 2/dir2
> fetch from 2 epoch 1 at 4@1 waits 0
  answers nothing, high watermark 4 (epoch 1, leader 1)
  answers add-voter done
  log to 4@1, high watermark 4, voters 1/dir1 2/dir2

# answered as soon as it is appended, if that is asked for
> start node 1 voters 1 dynamic
  is unattached in epoch 0
  is prospective in epoch 0
  is candidate in epoch 1
  is leader in epoch 1, leader 1
  saves epoch 1 leader 1
  writes 0-2 of epoch 1: leader 1 kraft.version 1 voters 1
  log to 3@1, high watermark 3, voters 1/dir1
> fetch from 2 epoch 1 at 3@1 waits 0
  answers nothing, high watermark 3 (epoch 1, leader 1)
> add-voter 2 soon
  asks 2: api-versions
> answer 2
  writes 3-3 of epoch 1: voters 1,2
  answers add-voter done
  log to 4@1, high watermark 3, voters 1/dir1 2/dir2

# one that lags behind, is unknown, too old, or a voter already is not taken
> start node 1 voters 1 dynamic
  is unattached in epoch 0
  is prospective in epoch 0
  is candidate in epoch 1
  is leader in epoch 1, leader 1
  saves epoch 1 leader 1
  writes 0-2 of epoch 1: leader 1 kraft.version 1 voters 1
  log to 3@1, high watermark 3, voters 1/dir1
> add-voter 2
  asks 2: api-versions
> answer 2
  says voter not added
  answers add-voter REQUEST_TIMED_OUT
> fetch from 2 epoch 1 at 3@1 waits 0
  answers nothing, high watermark 3 (epoch 1, leader 1)
> add-voter 2
  asks 2: api-versions
> answer 2 max 0
  says voter not added
  answers add-voter INVALID_REQUEST
> add-voter 2
  asks 2: api-versions
> fail 2
  says voter not added
  answers add-voter REQUEST_TIMED_OUT
> wait 20
> add-voter 1 directory other
  answers add-voter DUPLICATE_VOTER

# one change at a time
> start node 1 voters 1,2,3 dynamic epoch 4 voted 1
  is candidate in epoch 4
  saves epoch 4 voted 1
  asks 2: vote in epoch 4 for end 0@0
  asks 3: vote in epoch 4 for end 0@0
  log to 0@0, high watermark unknown, voters 1/dir1 2/dir2 3/dir3
> answer 2 granted
  is leader in epoch 4, leader 1
  saves epoch 4 leader 1
  writes 0-2 of epoch 4: leader 1 kraft.version 1 voters 1,2,3
  asks 2: begin-epoch 4
  asks 3: begin-epoch 4
  log to 3@4, high watermark unknown, voters 1/dir1 2/dir2 3/dir3
> add-voter 4
  answers add-voter REQUEST_TIMED_OUT
> remove-voter 2
  answers remove-voter REQUEST_TIMED_OUT
> fetch from 2 epoch 4 at 3@4 waits 0
  answers nothing, high watermark 3 (epoch 4, leader 1)
  log to 3@4, high watermark 3, voters 1/dir1 2/dir2 3/dir3
> remove-voter 3
  writes 3-3 of epoch 4: voters 1,2
  log to 4@4, high watermark 3, voters 1/dir1 2/dir2
> remove-voter 2
  answers remove-voter REQUEST_TIMED_OUT
> fetch from 2 epoch 4 at 4@4 waits 0
  answers nothing, high watermark 4 (epoch 4, leader 1)
  answers remove-voter done
  log to 4@4, high watermark 4, voters 1/dir1 2/dir2

# a change that is not committed in time is answered so
> start node 1 voters 1,2,3 dynamic epoch 4 voted 1
  is candidate in epoch 4
  saves epoch 4 voted 1
  asks 2: vote in epoch 4 for end 0@0
  asks 3: vote in epoch 4 for end 0@0
  log to 0@0, high watermark unknown, voters 1/dir1 2/dir2 3/dir3
> answer 2 granted
  is leader in epoch 4, leader 1
  saves epoch 4 leader 1
  writes 0-2 of epoch 4: leader 1 kraft.version 1 voters 1,2,3
  asks 2: begin-epoch 4
  asks 3: begin-epoch 4
  log to 3@4, high watermark unknown, voters 1/dir1 2/dir2 3/dir3
> fetch from 2 epoch 4 at 3@4 waits 0
  answers nothing, high watermark 3 (epoch 4, leader 1)
  log to 3@4, high watermark 3, voters 1/dir1 2/dir2 3/dir3
> remove-voter 3
  writes 3-3 of epoch 4: voters 1,2
  log to 4@4, high watermark 3, voters 1/dir1 2/dir2
> wait 2000
  asks 2: begin-epoch 4
  answers remove-voter REQUEST_TIMED_OUT

# a leader that is removed leads until that is committed
> start node 1 voters 1,2,3 dynamic epoch 4 voted 1
  is candidate in epoch 4
  saves epoch 4 voted 1
  asks 2: vote in epoch 4 for end 0@0
  asks 3: vote in epoch 4 for end 0@0
  log to 0@0, high watermark unknown, voters 1/dir1 2/dir2 3/dir3
> answer 2 granted
  is leader in epoch 4, leader 1
  saves epoch 4 leader 1
  writes 0-2 of epoch 4: leader 1 kraft.version 1 voters 1,2,3
  asks 2: begin-epoch 4
  asks 3: begin-epoch 4
  log to 3@4, high watermark unknown, voters 1/dir1 2/dir2 3/dir3
> fetch from 2 epoch 4 at 3@4 waits 0
  answers nothing, high watermark 3 (epoch 4, leader 1)
  log to 3@4, high watermark 3, voters 1/dir1 2/dir2 3/dir3
> remove-voter 1
  writes 3-3 of epoch 4: voters 2,3
  log to 4@4, high watermark 3, voters 2/dir2 3/dir3
> fetch from 2 epoch 4 at 4@4 waits 0
  answers nothing, high watermark 3 (epoch 4, leader 1)
> fetch from 3 epoch 4 at 4@4 waits 0
  says quorum leader is no voter any more
  is resigned in epoch 4, leader 1
  asks 2: end-epoch 4 successors 2,3
  asks 3: end-epoch 4 successors 2,3
  answers nothing, high watermark 4 (epoch 4, leader 1)
  answers remove-voter done
  log to 4@4, high watermark 4, voters 2/dir2 3/dir3
> wait 9000
  is unattached in epoch 5
  saves epoch 5
  asks 3: fetch in epoch 5 at 4@4
  asks 3: fetch in epoch 5 at 4@4
  asks 3: fetch in epoch 5 at 4@4
  asks 3: fetch in epoch 5 at 4@4

# and it goes then, though who asked for it has given up waiting
> start node 1 voters 1,2,3 dynamic epoch 4 voted 1
  is candidate in epoch 4
  saves epoch 4 voted 1
  asks 2: vote in epoch 4 for end 0@0
  asks 3: vote in epoch 4 for end 0@0
  log to 0@0, high watermark unknown, voters 1/dir1 2/dir2 3/dir3
> answer 2 granted
  is leader in epoch 4, leader 1
  saves epoch 4 leader 1
  writes 0-2 of epoch 4: leader 1 kraft.version 1 voters 1,2,3
  asks 2: begin-epoch 4
  asks 3: begin-epoch 4
  log to 3@4, high watermark unknown, voters 1/dir1 2/dir2 3/dir3
> fetch from 2 epoch 4 at 3@4 waits 0
  answers nothing, high watermark 3 (epoch 4, leader 1)
  log to 3@4, high watermark 3, voters 1/dir1 2/dir2 3/dir3
> remove-voter 1
  writes 3-3 of epoch 4: voters 2,3
  log to 4@4, high watermark 3, voters 2/dir2 3/dir3
> wait 2000
  asks 2: begin-epoch 4
  asks 3: begin-epoch 4
  answers remove-voter REQUEST_TIMED_OUT
> fetch from 2 epoch 4 at 4@4 waits 0
  answers nothing, high watermark 3 (epoch 4, leader 1)
> fetch from 3 epoch 4 at 4@4 waits 0
  says quorum leader is no voter any more
  is resigned in epoch 4, leader 1
  asks 2: end-epoch 4 successors 2,3
  asks 3: end-epoch 4 successors 2,3
  answers nothing, high watermark 4 (epoch 4, leader 1)
  log to 4@4, high watermark 4, voters 2/dir2 3/dir3

# nobody is removed who is not known, nor the last one
> start node 1 voters 1 dynamic
  is unattached in epoch 0
  is prospective in epoch 0
  is candidate in epoch 1
  is leader in epoch 1, leader 1
  saves epoch 1 leader 1
  writes 0-2 of epoch 1: leader 1 kraft.version 1 voters 1
  log to 3@1, high watermark 3, voters 1/dir1
> remove-voter 2
  answers remove-voter VOTER_NOT_FOUND
> remove-voter 1 directory other
  answers remove-voter VOTER_NOT_FOUND
> remove-voter 1
  answers remove-voter VOTER_NOT_FOUND

# a static quorum changes no voters
> start node 1 voters 1
  is unattached in epoch 0
  is prospective in epoch 0
  is candidate in epoch 1
  is leader in epoch 1, leader 1
  saves epoch 1 leader 1
  writes 0-0 of epoch 1: leader 1
  log to 1@1, high watermark 1, voters 1
> add-voter 2
  answers add-voter UNSUPPORTED_VERSION
> remove-voter 1
  answers remove-voter UNSUPPORTED_VERSION

# a voter tells where it is reached when the log has it wrong
> start node 1 voters 1,2,3 dynamic epoch 4 voted 1
  is candidate in epoch 4
  saves epoch 4 voted 1
  asks 2: vote in epoch 4 for end 0@0
  asks 3: vote in epoch 4 for end 0@0
  log to 0@0, high watermark unknown, voters 1/dir1 2/dir2 3/dir3
> answer 2 granted
  is leader in epoch 4, leader 1
  saves epoch 4 leader 1
  writes 0-2 of epoch 4: leader 1 kraft.version 1 voters 1,2,3
  asks 2: begin-epoch 4
  asks 3: begin-epoch 4
  log to 3@4, high watermark unknown, voters 1/dir1 2/dir2 3/dir3
> fetch from 2 epoch 4 at 3@4 waits 0
  answers nothing, high watermark 3 (epoch 4, leader 1)
  log to 3@4, high watermark 3, voters 1/dir1 2/dir2 3/dir3
> update-voter 2 epoch 4 host moved
  writes 3-3 of epoch 4: voters 1,2,3
  answers update-voter done (epoch 4, leader 1)
  log to 4@4, high watermark 3, voters 1/dir1 2/dir2 3/dir3
> update-voter 2 epoch 4 host again
  answers update-voter REQUEST_TIMED_OUT (epoch 4, leader 1)
> fetch from 2 epoch 4 at 4@4 waits 0
  answers nothing, high watermark 4 (epoch 4, leader 1)
  log to 4@4, high watermark 4, voters 1/dir1 2/dir2 3/dir3
> update-voter 9 epoch 4
  answers update-voter VOTER_NOT_FOUND (epoch 4, leader 1)
> update-voter 2 epoch 4 max 0
  answers update-voter INVALID_REQUEST (epoch 4, leader 1)
> update-voter 2 epoch 3
  answers update-voter FENCED_LEADER_EPOCH (epoch 4, leader 1)

# in a static quorum every voter tells every new leader, and then it can be made dynamic
> start node 1 voters 1,2 epoch 4 voted 1
  is candidate in epoch 4
  saves epoch 4 voted 1
  asks 2: vote in epoch 4 for end 0@0
  log to 0@0, high watermark unknown, voters 1 2
> answer 2 granted
  is leader in epoch 4, leader 1
  saves epoch 4 leader 1
  writes 0-0 of epoch 4: leader 1
  asks 2: begin-epoch 4
  log to 1@4, high watermark unknown, voters 1 2
> upgrade 1
  INVALID_UPDATE_VERSION
> fetch from 2 epoch 4 at 1@4 waits 0
  answers nothing, high watermark 1 (epoch 4, leader 1)
  log to 1@4, high watermark 1, voters 1 2
> update-voter 2 epoch 4
  answers update-voter done (epoch 4, leader 1)
> upgrade 1
  NONE
  writes 1-2 of epoch 4: kraft.version 1 voters 1,2
  log to 3@4, high watermark 1, voters 1/dir1 2/dir2
> upgrade 1
  NONE
> upgrade 0
  INVALID_UPDATE_VERSION

# a voter of a static quorum tells its leader once
> start node 1 voters 1,2 epoch 4 leader 2
  is follower in epoch 4, leader 2
  saves epoch 4 leader 2
  asks 2: fetch in epoch 4 at 0@0
  log to 0@0, high watermark unknown, voters 1 2
> answer 2 leader 2 hw 0
  asks 2: fetch in epoch 4 at 0@0
  log to 0@0, high watermark 0, voters 1 2
> wait 1000
> answer 2 leader 2 hw 0
  asks 2: fetch in epoch 4 at 0@0
> wait 1000
> answer 2 leader 2 hw 0
  asks 2: update-voter 1/dir1
> wait 2000
  says quorum leader lost
  is prospective in epoch 4, leader 2
  asks 2: pre-vote in epoch 4 for end 0@0

# a controller that is to join asks for it, when it follows
> start node 9 voters 1 dynamic joining epoch 1 leader 1
  is follower in epoch 1, leader 1
  saves epoch 1 leader 1
  asks 1: fetch in epoch 1 at 0@0
  log to 0@0, high watermark unknown, voters 1/dir1
> wait 1000
> answer 1 leader 1 hw 0
  asks 1: fetch in epoch 1 at 0@0
  log to 0@0, high watermark 0, voters 1/dir1
> wait 1000
> answer 1 leader 1 hw 0
  asks 1: add-voter 9/dir9
> answer 1 error REQUEST_TIMED_OUT
  asks 1: fetch in epoch 1 at 0@0

# voters that were never committed fall away with the log
> start node 3 voters 1,2,3 dynamic epoch 4 voted 3
  is candidate in epoch 4
  saves epoch 4 voted 3
  asks 1: vote in epoch 4 for end 0@0
  asks 2: vote in epoch 4 for end 0@0
  log to 0@0, high watermark unknown, voters 1/dir1 2/dir2 3/dir3
> answer 2 granted
  is leader in epoch 4, leader 3
  saves epoch 4 leader 3
  writes 0-2 of epoch 4: leader 3 kraft.version 1 voters 1,2,3
  asks 1: begin-epoch 4
  asks 2: begin-epoch 4
  log to 3@4, high watermark unknown, voters 1/dir1 2/dir2 3/dir3
> fetch from 2 epoch 4 at 3@4 waits 0
  answers nothing, high watermark 3 (epoch 4, leader 3)
  log to 3@4, high watermark 3, voters 1/dir1 2/dir2 3/dir3
> remove-voter 1
  writes 3-3 of epoch 4: voters 2,3
  log to 4@4, high watermark 3, voters 2/dir2 3/dir3
> begin-epoch from 2 epoch 5
  is follower in epoch 5, leader 2
  saves epoch 5 leader 2
  asks 2: fetch in epoch 5 at 4@4
  answers remove-voter NOT_LEADER_OR_FOLLOWER
  answers begin-quorum-epoch done (epoch 5, leader 2)
> answer 2 leader 2 diverging 3@4
  says metadata log truncated
  asks 2: fetch in epoch 5 at 3@4
  log to 3@4, high watermark 3, voters 1/dir1 2/dir2 3/dir3
