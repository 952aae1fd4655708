/* robocache: a CUDA device on the CPU: streams, events and graphs
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "device.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

namespace emulation
{
namespace
{
struct Graph
{
  std::vector<Work> nodes;
};

struct Capture
{
  cudaStreamCaptureMode mode;
  std::thread::id thread;
  Graph graph;
  bool is_over = false;         /* by a call that it forbids */
};
}

class Stream : public std::enable_shared_from_this<Stream>
{
public:
  std::unique_ptr<Capture> capture;     /* of the thread that captures */
  int priority = 0;

  static std::shared_ptr<Stream>
  begin ()
  {
    const std::shared_ptr<Stream> stream = std::make_shared<Stream> ();

    std::thread (&Stream::live, stream).detach ();
    return stream;
  }

  /* Returns its number. */
  uint64_t
  add (Work work)
  {
    std::lock_guard<std::mutex> held (lock);

    queue.push_back (std::move (work));
    changed.notify_all ();
    return ++added;
  }

  uint64_t
  last_added ()
  {
    std::lock_guard<std::mutex> held (lock);

    return added;
  }

  void
  wait_for (uint64_t number)
  {
    std::unique_lock<std::mutex> held (lock);

    changed.wait (held, [&] { return done >= number; });
  }

  bool
  is_done (uint64_t number)
  {
    std::lock_guard<std::mutex> held (lock);

    return done >= number;
  }

  /* It does what it was given, and ends. */
  void
  end ()
  {
    std::lock_guard<std::mutex> held (lock);

    is_ending = true;
    changed.notify_all ();
  }

private:
  std::mutex lock;
  std::condition_variable changed;
  std::deque<Work> queue;
  uint64_t added = 0, done = 0;
  bool is_ending = false;

  void
  live ()
  {
    std::unique_lock<std::mutex> held (lock);

    for (;;) {
      changed.wait (held, [&] { return !queue.empty () || is_ending; });
      if (queue.empty ())
        return;
      Work work = std::move (queue.front ());
      queue.pop_front ();
      held.unlock ();
      work ();
      work = nullptr;           /* what it holds goes before others hear that it is done */
      held.lock ();
      done++;
      changed.notify_all ();
    }
  }
};

namespace
{
struct Event
{
  std::mutex lock;
  std::shared_ptr<Stream> stream;       /* NULL: nothing was recorded */
  uint64_t number = 0;
};

std::mutex &lock = *new std::mutex;     /* of these two */
std::set<std::shared_ptr<Stream>> &streams = *new std::set<std::shared_ptr<Stream>>;
std::set<Capture *> &captures = *new std::set<Capture *>;
thread_local cudaStreamCaptureMode own_mode = cudaStreamCaptureModeGlobal;

Event *
event_of (cudaEvent_t event)
{
  return reinterpret_cast<Event *> (event);
}

Graph *
graph_of (cudaGraph_t graph)
{
  return reinterpret_cast<Graph *> (graph);
}

/* The stream itself, also while others destroy it. The default streams are one, which waits for none of the others: they are
 * all made not to be waited for. */
std::shared_ptr<Stream>
stream_of (cudaStream_t stream)
{
  static const std::shared_ptr<Stream> &of_all = *new std::shared_ptr<Stream> (Stream::begin ());

  if (stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread)
    return of_all;
  return reinterpret_cast<Stream *> (stream)->shared_from_this ();
}

bool
forbids_unsafe_calls (const Capture *capture)
{
  if (capture->thread == std::this_thread::get_id ())
    return capture->mode != cudaStreamCaptureModeRelaxed;
  return capture->mode == cudaStreamCaptureModeGlobal && own_mode == cudaStreamCaptureModeGlobal;
}
}

bool
is_capturing (cudaStream_t stream)
{
  return stream_of (stream)->capture != nullptr;
}

void
enqueue (cudaStream_t stream, Work work)
{
  if (is_capturing (stream))
    stream_of (stream)->capture->graph.nodes.push_back (std::move (work));
  else
    stream_of (stream)->add (std::move (work));
}

void
wait_until_idle (cudaStream_t stream)
{
  const std::shared_ptr<Stream> own = stream_of (stream);

  own->wait_for (own->last_added ());
}

void
wait_until_all_idle ()
{
  std::unique_lock<std::mutex> held (lock);
  const std::set<std::shared_ptr<Stream>> all = streams;

  held.unlock ();
  wait_until_idle (nullptr);
  for (const std::shared_ptr<Stream> &stream : all)
    stream->wait_for (stream->last_added ());
}

cudaError_t
allow_unsafe_call ()
{
  std::lock_guard<std::mutex> held (lock);
  cudaError_t result = cudaSuccess;

  if (own_mode == cudaStreamCaptureModeRelaxed)
    return cudaSuccess;
  for (Capture *capture : captures) {
    if (forbids_unsafe_calls (capture)) {
      capture->is_over = true;
      result = cudaErrorStreamCaptureUnsupported;
    }
  }
  return result;
}
}

using namespace emulation;

/* ---- streams ---- */

cudaError_t
cudaStreamCreateWithPriority (cudaStream_t *stream, unsigned, int priority)
{
  FAIL_IF_TOLD ("cuStreamCreateWithPriority");
  const std::shared_ptr<Stream> created = Stream::begin ();
  std::lock_guard<std::mutex> held (lock);

  created->priority = priority;
  streams.insert (created);
  *stream = reinterpret_cast<cudaStream_t> (created.get ());
  return cudaSuccess;
}

cudaError_t
cudaStreamCreateWithFlags (cudaStream_t *stream, unsigned flags)
{
  FAIL_IF_TOLD ("cuStreamCreate");
  return cudaStreamCreateWithPriority (stream, flags, 0);
}

/* As many as a GPU of compute capability 9.0 has. */
cudaError_t
cudaDeviceGetStreamPriorityRange (int *least, int *greatest)
{
  *least = 0;
  *greatest = -5;
  return cudaSuccess;
}

cudaError_t
cudaStreamGetPriority (cudaStream_t stream, int *priority)
{
  *priority = stream_of (stream)->priority;
  return cudaSuccess;
}

cudaError_t
cudaStreamDestroy (cudaStream_t stream)
{
  const std::shared_ptr<Stream> own = stream_of (stream);
  std::lock_guard<std::mutex> held (lock);

  streams.erase (own);
  own->end ();
  return cudaSuccess;
}

cudaError_t
cudaStreamSynchronize (cudaStream_t stream)
{
  FAIL_IF_TOLD ("cuStreamSynchronize");
  if (is_capturing (stream))
    return note (cudaErrorStreamCaptureUnsupported);
  wait_until_idle (stream);
  return note (state_of_devices ());
}

cudaError_t
cudaStreamQuery (cudaStream_t stream)
{
  FAIL_IF_TOLD ("cuStreamQuery");
  const std::shared_ptr<Stream> own = stream_of (stream);

  if (is_capturing (stream))
    return note (cudaErrorStreamCaptureUnsupported);
  return own->is_done (own->last_added ()) ? note (state_of_devices ()) : cudaErrorNotReady;
}

cudaError_t
cudaLaunchHostFunc (cudaStream_t stream, cudaHostFn_t function, void *data)
{
  enqueue (stream, [=] { function (data); });
  return cudaSuccess;
}

/* ---- events ---- */

cudaError_t
cudaEventCreateWithFlags (cudaEvent_t *event, unsigned)
{
  FAIL_IF_TOLD ("cuEventCreate");
  *event = reinterpret_cast<cudaEvent_t> (new Event);
  return cudaSuccess;
}

cudaError_t
cudaEventDestroy (cudaEvent_t event)
{
  delete event_of (event);

  return cudaSuccess;
}

cudaError_t
cudaEventRecord (cudaEvent_t event, cudaStream_t stream)
{
  FAIL_IF_TOLD ("cuEventRecord");
  Event *own = event_of (event);
  std::lock_guard<std::mutex> held (own->lock);

  if (is_capturing (stream))
    return cudaSuccess;         /* what is captured waits for what was captured before */
  own->stream = stream_of (stream);
  own->number = own->stream->last_added ();
  return cudaSuccess;
}

cudaError_t
cudaStreamWaitEvent (cudaStream_t stream, cudaEvent_t event, unsigned)
{
  FAIL_IF_TOLD ("cuStreamWaitEvent");
  Event *own = event_of (event);
  std::lock_guard<std::mutex> held (own->lock);
  const std::shared_ptr<Stream> recorded = own->stream;
  const uint64_t number = own->number;

  if (recorded != nullptr && recorded != stream_of (stream) && !is_capturing (stream))
    enqueue (stream, [=] { recorded->wait_for (number); });
  return cudaSuccess;
}

cudaError_t
cudaEventQuery (cudaEvent_t event)
{
  FAIL_IF_TOLD ("cuEventQuery");
  Event *own = event_of (event);
  std::lock_guard<std::mutex> held (own->lock);

  if (own->stream != nullptr && !own->stream->is_done (own->number))
    return cudaErrorNotReady;
  return note (state_of_devices ());
}

cudaError_t
cudaEventSynchronize (cudaEvent_t event)
{
  FAIL_IF_TOLD ("cuEventSynchronize");
  Event *own = event_of (event);
  std::unique_lock<std::mutex> held (own->lock);
  const std::shared_ptr<Stream> recorded = own->stream;
  const uint64_t number = own->number;

  held.unlock ();
  if (recorded != nullptr)
    recorded->wait_for (number);
  return note (state_of_devices ());
}

/* ---- graphs ---- */

cudaError_t
cudaThreadExchangeStreamCaptureMode (cudaStreamCaptureMode *mode)
{
  std::swap (*mode, own_mode);
  return cudaSuccess;
}

cudaError_t
cudaStreamBeginCapture (cudaStream_t stream, cudaStreamCaptureMode mode)
{
  const std::shared_ptr<Stream> own = stream_of (stream);
  std::lock_guard<std::mutex> held (lock);

  if (stream == nullptr)
    return note (cudaErrorStreamCaptureUnsupported);
  own->capture = std::make_unique<Capture> ();
  own->capture->mode = mode;
  own->capture->thread = std::this_thread::get_id ();
  captures.insert (own->capture.get ());
  return cudaSuccess;
}

cudaError_t
cudaStreamEndCapture (cudaStream_t stream, cudaGraph_t *graph)
{
  const std::shared_ptr<Stream> own = stream_of (stream);
  std::lock_guard<std::mutex> held (lock);

  *graph = nullptr;
  if (own->capture == nullptr)
    return note (cudaErrorStreamCaptureUnmatched);
  const std::unique_ptr<Capture> capture = std::move (own->capture);
  captures.erase (capture.get ());
  if (capture->is_over)
    return note (cudaErrorStreamCaptureInvalidated);
  *graph = reinterpret_cast<cudaGraph_t> (new Graph (std::move (capture->graph)));
  return cudaSuccess;
}

cudaError_t
cudaGraphInstantiate (cudaGraphExec_t *executable, cudaGraph_t graph, unsigned long long)
{
  *executable = reinterpret_cast<cudaGraphExec_t> (new Graph (*graph_of (graph)));
  return cudaSuccess;
}

cudaError_t
cudaGraphDestroy (cudaGraph_t graph)
{
  delete graph_of (graph);

  return cudaSuccess;
}

cudaError_t
cudaGraphExecDestroy (cudaGraphExec_t executable)
{
  delete reinterpret_cast<Graph *> (executable);

  return cudaSuccess;
}

cudaError_t
cudaGraphLaunch (cudaGraphExec_t executable, cudaStream_t stream)
{
  for (const Work &node : reinterpret_cast<Graph *> (executable)->nodes)
    enqueue (stream, node);
  return cudaSuccess;
}
