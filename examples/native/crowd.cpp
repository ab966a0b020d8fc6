// Walkers in C++, each in a thread of its own: they walk alike, since nothing is shared.
//
//   footfall export walk --out walker.c --with-physics
//   cc -std=c99 -O2 -c walker.c && c++ -std=c++17 -O2 crowd.cpp walker.o -pthread -o crowd && ./crowd
#include <cstdio>
#include <memory>
#include <thread>
#include <vector>

#include "walker.h"

int main() {
  std::vector<std::unique_ptr<walker_walker>> walkers;
  std::vector<std::thread> threads;
  for (int k = 0; k < 4; ++k) {
    walkers.push_back(std::make_unique<walker_walker>());  // filled with zeros
    walker_start(walkers[k].get(), nullptr, 0.0, 0.0, 0.0);
    threads.emplace_back([walker = walkers[k].get()] { walker_step(walker, 5000); });
  }
  for (auto& thread : threads) thread.join();
  for (auto& walker : walkers) std::printf("%.17g\n", walker_coordinates(walker.get())[0]);
}
