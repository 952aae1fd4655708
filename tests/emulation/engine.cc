/* robocache: a CUDA device on the CPU: blocks of threads
 *
 * Compiled without sanitizers. AddressSanitizer is told of changes of the stack.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "engine.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#ifdef EMULATION_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace emulation
{
__thread Place place;

namespace
{
constexpr size_t STACK_BYTES = 256 << 10;       /* of a fiber; the system gives what is touched */
constexpr uint8_t UNDEFINED = 0xA5;     /* what the shared memory of a launch holds when a block begins */
constexpr unsigned WARP = 32;
/* From one stack to the next: were it a power of two, they would share a few lines of the caches and of the TLB. */
constexpr size_t STACK_STRIDE = STACK_BYTES + 4096 + 192;

/* ---- fibers ---- */

struct Stack
{
  char *bottom;
  size_t size;
  void *fake;                   /* of AddressSanitizer */
  void *jump[5];
};

#ifdef EMULATION_ASAN
void
announce (Stack *leave, const Stack *enter)
{
  __sanitizer_start_switch_fiber (&leave->fake, enter->bottom, enter->size);
}

void
arrive (Stack *own)
{
  __sanitizer_finish_switch_fiber (own->fake, nullptr, nullptr);
}
#else
void
announce (Stack *, const Stack *)
{
}

void
arrive (Stack *)
{
}
#endif

[[noreturn]] __attribute__ ((noinline)) void
jump_to (Stack *to)
{
  __builtin_longjmp (to->jump, 1);
}

/* ---- a block ---- */

enum class State : uint8_t
{
  DONE, READY, AT_BARRIER, IN_WARP
};

enum class Exchange
{
  SYNC, BALLOT, ALL_EQUAL, VALUE
};

struct Copy
{
  void *to;
  const void *from;
  size_t bytes, group;
};

struct Lane
{
  Stack stack;
  bool begun;
  Index thread;
  /* of what it waits for */
  Exchange exchange;
  uint32_t mask;
  uint64_t value, result;
  unsigned source;
};

struct Block
{
  const Launch *launch;
  unsigned n_threads, alive, arrived;
  int predicates;
  State states[MAX_THREADS];    /* of the lanes, which are looked at most */
  Lane lanes[MAX_THREADS];
  ucontext_t *starts;           /* of each lane's fiber */
  std::vector<Copy> *copies;    /* of each lane, that it has not waited for */
  size_t groups[MAX_THREADS];  /* of copies, that each lane has ended */
  uint32_t in_warp[MAX_THREADS / WARP];        /* the lanes of each warp that are in State::IN_WARP */
  Lane *running;
  Stack scheduler;
};

__thread Block *own __attribute__ ((tls_model ("initial-exec")));       /* the block that this thread of the CPU runs */
std::atomic<bool> is_broken { false };  /* a thread went where no memory is */
unsigned launches;              /* until now; one runs at a time */

[[noreturn]] void
fail (const char *what)
{
  fprintf (stderr, "emulated device: %s, block %u %u, thread %u: %s\n", own->launch->name, place.block.x, place.block.y,
      place.thread.x, what);
  abort ();
}

/* Lets others run, and comes back when it is this one's turn. noipa: registers that it does not use itself change, too. */
__attribute__ ((noinline, noipa)) void
give_way (Lane *lane)
{
  if (__builtin_setjmp (lane->stack.jump) == 0) {
    announce (&lane->stack, &own->scheduler);
    jump_to (&own->scheduler);
  }
  arrive (&lane->stack);
}

void
release_barrier (Block *block)
{
  for (unsigned i = 0; i < block->n_threads; i++) {
    if (block->states[i] == State::AT_BARRIER) {
      block->lanes[i].result = (uint64_t) block->predicates;
      block->states[i] = State::READY;
    }
  }
  block->arrived = 0;
  block->predicates = 0;
}

/* A fiber lives a thread's life in one block after another. */
void
live ()
{
  Lane *lane = own->running;

  arrive (&lane->stack);
  for (;;) {
    own->launch->run ();
    own->states[lane - own->lanes] = State::DONE;
    if (--own->alive > 0 && own->arrived == own->alive)
      release_barrier (own);
    give_way (lane);
  }
}

/* Runs a lane until it waits or ends. noipa: as above. */
__attribute__ ((noinline, noipa)) void
resume (Block *block, Lane *lane)
{
  block->running = lane;
  place.thread = lane->thread;
  if (__builtin_setjmp (block->scheduler.jump) == 0) {
    announce (&block->scheduler, &lane->stack);
    if (lane->begun)
      jump_to (&lane->stack);
    lane->begun = true;
    setcontext (&block->starts[lane - block->lanes]);
  }
  arrive (&block->scheduler);
}

void
begin_lane (Block *block, unsigned i)
{
  const Index size = block->launch->block;

  block->copies[i].clear ();    /* what nobody waits for never comes */
  block->groups[i] = 0;
  block->states[i] = State::READY;
  block->lanes[i].thread = { i % size.x, i / size.x % size.y, i / size.x / size.y };
}

/* What a block has of the shared memory of a launch, and no more. */
void
begin_shared (char *shared, size_t bytes)
{
#ifdef EMULATION_ASAN
  __asan_unpoison_memory_region (shared, MAX_SHARED);
  __asan_poison_memory_region (shared + bytes, MAX_SHARED - bytes);
#endif
  memset (shared, UNDEFINED, bytes);
}

void
run_block (Block *block, const Index &index)
{
  uint64_t turn = index.x + index.y + launches;

  begin_shared (static_cast<char *> (block->launch->shared ()), block->launch->shared_bytes);
  block->alive = block->n_threads;
  block->arrived = 0;
  block->predicates = 0;
  memset (block->in_warp, 0, sizeof (block->in_warp));
  place = { {}, index, block->launch->block, block->launch->grid };
  for (unsigned i = 0; i < block->n_threads; i++)
    begin_lane (block, i);
  for (; block->alive > 0 && !is_broken; turn++) {
    bool went_on = false;

    for (unsigned i = 0; i < block->n_threads && !is_broken; i++) {
      const unsigned lane = turn % 2 == 0 ? i : block->n_threads - 1 - i;

      if (block->states[lane] == State::READY) {
        resume (block, &block->lanes[lane]);
        went_on = true;
      }
    }
    if (!went_on && !is_broken)
      fail ("all threads wait, at a barrier or in a warp, for others that do not come");
  }
}

/* ---- the threads of the CPU ---- */

/* Blocks i, i + step, … of a launch. */
struct Share
{
  const Launch *launch;
  uint64_t first, step;
};

struct Worker
{
  std::thread thread;
  std::mutex lock;
  std::condition_variable changed;
  const Share *share = nullptr;
};

/* What __sanitizer_start_switch_fiber is to know of the stack of a worker. */
void
find_own_stack (Stack *stack)
{
  pthread_attr_t attributes;
  void *bottom;

  pthread_getattr_np (pthread_self (), &attributes);
  pthread_attr_getstack (&attributes, &bottom, &stack->size);
  pthread_attr_destroy (&attributes);
  stack->bottom = static_cast<char *> (bottom);
}

void
make_fiber (Lane *lane, ucontext_t *start, char *bottom)
{
  lane->stack.bottom = bottom;
  lane->stack.size = STACK_BYTES;
  getcontext (start);
  start->uc_stack.ss_sp = bottom;
  start->uc_stack.ss_size = STACK_BYTES;
  makecontext (start, live, 0);
}

Block *
block_of_thread ()
{
  if (own == nullptr) {
    char *stacks = static_cast<char *> (mmap (nullptr, MAX_THREADS * STACK_STRIDE, PROT_READ | PROT_WRITE,
            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));

    own = static_cast<Block *> (calloc (1, sizeof (Block)));
    own->copies = new std::vector<Copy>[MAX_THREADS];
    own->starts = new ucontext_t[MAX_THREADS];
    for (int i = 0; i < MAX_THREADS; i++)
      make_fiber (&own->lanes[i], &own->starts[i], stacks + i * STACK_STRIDE);
    find_own_stack (&own->scheduler);
  }
  return own;
}

void
run_share (const Share &share)
{
  const Launch *launch = share.launch;
  const uint64_t blocks = (uint64_t) launch->grid.x * launch->grid.y * launch->grid.z;
  Block *block = block_of_thread ();

  block->launch = launch;
  block->n_threads = launch->block.x * launch->block.y * launch->block.z;
  for (uint64_t i = share.first; i < blocks && !is_broken; i += share.step) {
    run_block (block, { (unsigned) (i % launch->grid.x), (unsigned) (i / launch->grid.x % launch->grid.y),
          (unsigned) (i / launch->grid.x / launch->grid.y) });
  }
}

void
work (Worker *worker)
{
  std::unique_lock<std::mutex> held (worker->lock);

  for (;;) {
    worker->changed.wait (held, [&] { return worker->share != nullptr; });
    run_share (*worker->share);
    worker->share = nullptr;
    worker->changed.notify_all ();
  }
}

/* They live as long as the process. */
std::vector<Worker *> &
first_workers (size_t n)
{
  static std::vector<Worker *> &workers = *new std::vector<Worker *>;

  while (workers.size () < n) {
    workers.push_back (new Worker);
    workers.back ()->thread = std::thread (work, workers.back ());
  }
  return workers;
}

/* ---- addresses that are none ---- */

/* A thread that goes there is left where it is, and its block with it. */
void
leave_block (int number)
{
  if (own == nullptr || own->running == nullptr) {
    signal (number, SIG_DFL);
    return;                     /* it happens again */
  }
  is_broken = true;
  announce (&own->running->stack, &own->scheduler);
  jump_to (&own->scheduler);
}

void
watch_addresses ()
{
  struct sigaction action;

  memset (&action, 0, sizeof (action));
  action.sa_handler = leave_block;
  action.sa_flags = SA_NODEFER;
  sigaction (SIGSEGV, &action, nullptr);
}

/* ---- exchange in a warp ---- */

/* What all lanes of the mask get: bits of those that have a value, or whether they have the value of the first one. */
uint64_t
common_result (const Lane *warp, uint32_t mask, Exchange what)
{
  const uint64_t first = warp[__builtin_ctz (mask)].value;
  uint64_t result = what == Exchange::ALL_EQUAL;

  for (unsigned i = 0; i < WARP; i++) {
    if ((mask >> i & 1) == 0)
      continue;
    if (what == Exchange::BALLOT)
      result |= (uint64_t) (warp[i].value != 0) << i;
    else
      result &= warp[i].value == first;
  }
  return result;
}

uint64_t
value_of_source (const Lane *warp, const Lane *lane)
{
  if (lane->source >= WARP || (lane->mask >> lane->source & 1) == 0)
    fail ("a lane asks for the value of one that is not in the mask");
  return warp[lane->source].value;
}

/* Whether all lanes of the mask wait for the same, with the same mask. */
bool
all_came (const Lane *warp, uint32_t in_warp, uint32_t mask, Exchange what)
{
  if ((in_warp & mask) != mask)
    return false;
  for (unsigned i = 0; i < WARP; i++) {
    if ((mask >> i & 1) != 0 && (warp[i].mask != mask || warp[i].exchange != what))
      return false;
  }
  return true;
}

/* The last lane of a mask that comes gives all of them what they asked for. */
uint64_t
exchange (uint32_t mask, Exchange what, uint64_t value, unsigned source)
{
  Lane *lane = own->running;
  const unsigned index = (unsigned) (lane - own->lanes), number = index % WARP, last = (own->n_threads - 1) % WARP;
  const bool is_last = own->n_threads - (index - number) <= WARP;
  Lane *warp = lane - number;
  State *states = &own->states[index - number];
  uint32_t *in_warp = &own->in_warp[index / WARP];
  uint64_t common;

  if ((mask >> number & 1) == 0 || (is_last && mask >> last >> 1 != 0))
    fail ("a mask is without the lane, or has lanes that are not there");
  lane->exchange = what;
  lane->mask = mask;
  lane->value = value;
  lane->source = source;
  states[number] = State::IN_WARP;
  *in_warp |= UINT32_C (1) << number;
  if (!all_came (warp, *in_warp, mask, what)) {
    give_way (lane);
    return lane->result;
  }
  common = what == Exchange::BALLOT || what == Exchange::ALL_EQUAL ? common_result (warp, mask, what) : 0;
  for (unsigned i = 0; i < WARP; i++) {
    if ((mask >> i & 1) != 0) {
      warp[i].result = what == Exchange::VALUE ? value_of_source (warp, &warp[i]) : common;
      states[i] = State::READY;
    }
  }
  *in_warp &= ~mask;
  return lane->result;
}
}

int
sync_block (int predicate)
{
  Lane *lane = own->running;

  own->predicates += predicate != 0;
  own->states[lane - own->lanes] = State::AT_BARRIER;
  if (++own->arrived == own->alive)
    release_barrier (own);
  else
    give_way (lane);
  return (int) lane->result;
}

void
sync_warp (uint32_t mask)
{
  exchange (mask, Exchange::SYNC, 0, 0);
}

uint32_t
ballot (uint32_t mask, bool predicate)
{
  return (uint32_t) exchange (mask, Exchange::BALLOT, predicate, 0);
}

bool
all_equal (uint32_t mask, uint64_t value)
{
  return exchange (mask, Exchange::ALL_EQUAL, value, 0) != 0;
}

uint64_t
value_of_lane (uint32_t mask, uint64_t value, unsigned lane)
{
  return exchange (mask, Exchange::VALUE, value, lane);
}

void
copy_later (void *to, const void *from, size_t bytes)
{
  const size_t lane = (size_t) (own->running - own->lanes);

  own->copies[lane].push_back ({ to, from, bytes, own->groups[lane] });
}

void
end_copy_group ()
{
  own->groups[own->running - own->lanes]++;
}

void
wait_for_copies (size_t n)
{
  const size_t lane = (size_t) (own->running - own->lanes);
  std::vector<Copy> later;

  for (const Copy &copy : own->copies[lane]) {
    if (copy.group + n < own->groups[lane])
      memcpy (copy.to, copy.from, copy.bytes);
    else
      later.push_back (copy);
  }
  own->copies[lane] = std::move (later);
}

bool
run (const Launch &launch)
{
  static std::once_flag watched;
  static std::mutex &one_at_a_time = *new std::mutex;
  const uint64_t blocks = (uint64_t) launch.grid.x * launch.grid.y * launch.grid.z;
  const unsigned processors = std::thread::hardware_concurrency ();
  const size_t n = std::min<uint64_t> (processors > 0 ? processors : 1, blocks);
  std::lock_guard<std::mutex> held (one_at_a_time);
  std::vector<Worker *> &workers = first_workers (n);
  std::vector<Share> shares;

  launches++;
  std::call_once (watched, watch_addresses);
  for (size_t i = 0; i < n; i++)
    shares.push_back ({ &launch, i, n });
  for (size_t i = 0; i < n; i++) {
    std::lock_guard<std::mutex> of_worker (workers[i]->lock);
    workers[i]->share = &shares[i];
    workers[i]->changed.notify_all ();
  }
  for (size_t i = 0; i < n; i++) {
    std::unique_lock<std::mutex> of_worker (workers[i]->lock);
    workers[i]->changed.wait (of_worker, [&] { return workers[i]->share == nullptr; });
  }
  return !is_broken;
}
}
