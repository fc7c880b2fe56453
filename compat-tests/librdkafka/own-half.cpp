// librdkafka's 0098 runs each of its stories twice: with a producer in Java, then with its own.
// Only the second half is kept, so that a C++ compiler is all it takes.
#define main_0098_consumer_txn both_halves
#include "0098-consumer-txn.cpp"
#undef main_0098_consumer_txn

extern "C" int main_0098_consumer_txn(int, char **) {
  do_test_consumer_txn_test(false);
  return 0;
}
