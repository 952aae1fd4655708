/* robocache: the parts of Eclipse Cyclone DDS that are no public interface: raw types, raw messages, and sockets
 *
 * A serdata is a message inside Cyclone, a sertype its type. Source: the headers of Cyclone DDS 0.10.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cyclone.h"

#include <dds/dds.h>
#include <dds/ddsi/ddsi_domaingv.h>
#include <dds/ddsi/ddsi_entity.h>
#include <dds/ddsi/ddsi_endpoint.h>
#include <dds/ddsi/ddsi_entity_match.h>
#include <dds/ddsi/ddsi_entity_index.h>
#include <dds/ddsi/ddsi_plist.h>
#include <dds/ddsi/ddsi_proxy_participant.h>
#include <dds/ddsi/ddsi_serdata.h>
#include <dds/ddsi/ddsi_sertype.h>
#include <dds/ddsi/ddsi_tran.h>
#include <dds/ddsi/q_addrset.h>
#include <dds/ddsi/q_bswap.h>
#include <dds/ddsi/q_radmin.h>
#include <dds/ddsi/q_rtps.h>
#include <dds/ddsi/q_thread.h>
#include <dds/ddsi/q_whc.h>
#include <errno.h>
#include <ifaddrs.h>
#include <linux/filter.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "common/element/errordomain.h"

/* Bytes that name the encoding. */
#define MIN_BYTES 4
/* Offset of the sequence number in the submessages DATA and DATA_FRAG: RTPS 2.3, 9.4.5.3. Cyclone has put it in host byte order. */
#define SEQUENCE_OFFSET 16

typedef struct
{
  struct ddsi_serdata c;
  gsize size;
  guint64 sequence;
  gint64 arrival_ns, monotonic_ns;
  guint8 data[];                /* padded to a multiple of four */
} RawMessage;

static const struct ddsi_serdata_ops serdata_ops;

/* ---- messages ---- */

static gsize
padded (gsize size)
{
  return (size + 3) & ~(gsize) 3;
}

static gint64
read_monotonic_clock (void)
{
  struct timespec time;

  clock_gettime (CLOCK_MONOTONIC, &time);
  return time.tv_sec * G_GINT64_CONSTANT (1000000000) + time.tv_nsec;
}

static RawMessage *
raw_new (const struct ddsi_sertype *type, enum ddsi_serdata_kind kind, gsize size)
{
  RawMessage *raw = g_try_malloc (sizeof (RawMessage) + padded (size));

  if (!raw)
    return NULL;
  ddsi_serdata_init (&raw->c, type, kind);
  /* all messages of a topic without a key are of one instance */
  raw->c.hash = type->serdata_basehash;
  raw->size = size;
  raw->sequence = 0;
  raw->arrival_ns = dds_time ();
  raw->monotonic_ns = read_monotonic_clock ();
  memset (raw->data + size, 0, padded (size) - size);
  return raw;
}

static void
raw_free (struct ddsi_serdata *serdata)
{
  g_free (serdata);
}

static guint64
sequence_of (const struct nn_rdata *fragment)
{
  const guint offset = NN_RDATA_SUBMSG_OFF (fragment);
  guint32 high, low;

  if (offset == 0)
    return 0;
  memcpy (&high, NN_RMSG_PAYLOADOFF (fragment->rmsg, offset + SEQUENCE_OFFSET), sizeof (high));
  memcpy (&low, NN_RMSG_PAYLOADOFF (fragment->rmsg, offset + SEQUENCE_OFFSET + sizeof (high)), sizeof (low));
  return ((guint64) high << 32) | low;
}

/* Called on Cyclone's receive thread. NULL: the message is lost. */
static struct ddsi_serdata *
from_fragments (const struct ddsi_sertype *type, enum ddsi_serdata_kind kind, const struct nn_rdata *fragment, size_t size)
{
  RawMessage *raw = kind == SDK_DATA && size < MIN_BYTES ? NULL : raw_new (type, kind, size);
  gsize done = 0;

  if (!raw)
    return NULL;
  raw->sequence = sequence_of (fragment);
  for (; fragment; fragment = fragment->nextfrag) {
    if (fragment->maxp1 <= done)
      continue;
    if (fragment->min > done || fragment->maxp1 > size)
      break;
    memcpy (raw->data + done, NN_RMSG_PAYLOADOFF (fragment->rmsg, NN_RDATA_PAYLOAD_OFF (fragment)) + (done - fragment->min),
        fragment->maxp1 - done);
    done = fragment->maxp1;
  }
  if (done == size)
    return &raw->c;
  g_free (raw);
  return NULL;
}

static struct ddsi_serdata *
from_parts (const struct ddsi_sertype *type, enum ddsi_serdata_kind kind, ddsrt_msg_iovlen_t n, const ddsrt_iovec_t *parts, size_t size)
{
  RawMessage *raw = kind == SDK_DATA && size < MIN_BYTES ? NULL : raw_new (type, kind, size);
  gsize done = 0;

  for (ddsrt_msg_iovlen_t i = 0; raw && i < n && done < size; i++) {
    const gsize part = MIN (parts[i].iov_len, size - done);

    memcpy (raw->data + done, parts[i].iov_base, part);
    done += part;
  }
  return raw ? &raw->c : NULL;
}

static struct ddsi_serdata *
from_keyhash (const struct ddsi_sertype *type, const struct ddsi_keyhash *keyhash)
{
  RawMessage *raw = raw_new (type, SDK_KEY, 0);

  return raw ? &raw->c : NULL;
}

static struct ddsi_serdata *
from_sample (const struct ddsi_sertype *type, enum ddsi_serdata_kind kind, const void *sample)
{
  return NULL;
}

static uint32_t
size_of (const struct ddsi_serdata *serdata)
{
  return (uint32_t) ((const RawMessage *) serdata)->size;
}

static void
to_bytes (const struct ddsi_serdata *serdata, size_t offset, size_t size, void *to)
{
  memcpy (to, ((const RawMessage *) serdata)->data + offset, size);
}

static struct ddsi_serdata *
to_bytes_ref (const struct ddsi_serdata *serdata, size_t offset, size_t size, ddsrt_iovec_t *part)
{
  part->iov_base = (void *) (((const RawMessage *) serdata)->data + offset);
  part->iov_len = (ddsrt_iov_len_t) size;
  return ddsi_serdata_ref (serdata);
}

static void
to_bytes_unref (struct ddsi_serdata *serdata, const ddsrt_iovec_t *part)
{
  ddsi_serdata_unref (serdata);
}

static bool
to_sample (const struct ddsi_serdata *serdata, void *sample, void **buffer, void *limit)
{
  return false;
}

/* Names the one instance of the topic. */
static struct ddsi_serdata *
to_untyped (const struct ddsi_serdata *serdata)
{
  RawMessage *raw = raw_new (serdata->type, SDK_KEY, 0);

  if (!raw)
    return NULL;
  raw->c.type = NULL;
  return &raw->c;
}

static bool
untyped_to_sample (const struct ddsi_sertype *type, const struct ddsi_serdata *serdata, void *sample, void **buffer, void *limit)
{
  return false;
}

static bool
has_same_key (const struct ddsi_serdata *a, const struct ddsi_serdata *b)
{
  return true;
}

static size_t
print (const struct ddsi_sertype *type, const struct ddsi_serdata *serdata, char *text, size_t size)
{
  return (size_t) g_snprintf (text, size, "%" G_GSIZE_FORMAT " bytes", ((const RawMessage *) serdata)->size);
}

static void
get_keyhash (const struct ddsi_serdata *serdata, struct ddsi_keyhash *keyhash, bool force_md5)
{
  memset (keyhash, 0, sizeof (*keyhash));
}

static const struct ddsi_serdata_ops serdata_ops = {
  .eqkey = has_same_key,
  .get_size = size_of,
  .from_ser = from_fragments,
  .from_ser_iov = from_parts,
  .from_keyhash = from_keyhash,
  .from_sample = from_sample,
  .to_ser = to_bytes,
  .to_ser_ref = to_bytes_ref,
  .to_ser_unref = to_bytes_unref,
  .to_sample = to_sample,
  .to_untyped = to_untyped,
  .untyped_to_sample = untyped_to_sample,
  .free = raw_free,
  .print = print,
  .get_keyhash = get_keyhash,
};

/* ---- types ---- */

static void
type_free (struct ddsi_sertype *type)
{
  ddsi_sertype_fini (type);
  g_free (type);
}

/* Types with the same name are the same. */
static bool
type_equal (const struct ddsi_sertype *a, const struct ddsi_sertype *b)
{
  return true;
}

static uint32_t
type_hash (const struct ddsi_sertype *type)
{
  return 0;
}

/* Samples of an application's own structure do not exist. */
static void
zero_samples (const struct ddsi_sertype *type, void *samples, size_t n)
{
}

static void
realloc_samples (void **samples, const struct ddsi_sertype *type, void *old, size_t n_old, size_t n)
{
  for (size_t i = 0; i < n; i++)
    samples[i] = NULL;
}

static void
free_samples (const struct ddsi_sertype *type, void **samples, size_t n, dds_free_op_t how)
{
}

static const struct ddsi_sertype_ops sertype_ops = {
  .version = ddsi_sertype_v0,
  .free = type_free,
  .equal = type_equal,
  .hash = type_hash,
  .zero_samples = zero_samples,
  .realloc_samples = realloc_samples,
  .free_samples = free_samples,
};

gint32
robocache_cyclone_topic_new (gint32 participant, const gchar *topic, const gchar *type_name, const struct ddsi_sertype **type)
{
  struct ddsi_sertype *made = g_new0 (struct ddsi_sertype, 1);
  dds_entity_t entity;

  ddsi_sertype_init_flags (made, type_name, &sertype_ops, &serdata_ops, DDSI_SERTYPE_FLAG_TOPICKIND_NO_KEY);
  made->allowed_data_representation = DDS_DATA_REPRESENTATION_FLAG_XCDR1;
  entity = dds_create_topic_sertype (participant, topic, &made, NULL, NULL, NULL);
  if (entity < 0)
    ddsi_sertype_unref (made);
  /* an equal type that exists replaced it */
  *type = made;
  return entity;
}

/* ---- reading ---- */

static void
release (gpointer serdata)
{
  ddsi_serdata_unref (serdata);
}

static RobocacheDdsMessage *
message_of (struct ddsi_serdata *serdata, const dds_sample_info_t *info)
{
  const RawMessage *raw = (const RawMessage *) serdata;
  RobocacheDdsMessage *message = g_new0 (RobocacheDdsMessage, 1);

  message->data = raw->data;
  message->size = raw->size;
  message->writer = info->publication_handle;
  message->sequence = raw->sequence;
  message->source_ns = MAX (info->source_timestamp, 0);
  message->arrival_ns = raw->arrival_ns;
  message->monotonic_ns = raw->monotonic_ns;
  message->bytes = serdata;
  message->release = release;
  return message;
}

guint
robocache_cyclone_take (gint32 reader, RobocacheDdsMessage **messages, guint n)
{
  g_autofree struct ddsi_serdata **taken = g_new0 (struct ddsi_serdata *, n);
  g_autofree dds_sample_info_t *infos = g_new0 (dds_sample_info_t, n);
  const dds_return_t n_taken = dds_takecdr (reader, taken, n, infos, DDS_ANY_STATE);

  for (dds_return_t i = 0; i < n_taken; i++) {
    messages[i] = message_of (taken[i], &infos[i]);
    /* the end of a publisher has no data */
    if (!infos[i].valid_data)
      messages[i]->size = 0;
  }
  return n_taken > 0 ? (guint) n_taken : 0;
}

/* ---- writing ---- */

/* Called with the lock of the writer. Best-effort readers count as if they had acknowledged all. */
static guint64
acknowledged_of (const struct ddsi_writer *writer)
{
  const struct ddsi_wr_prd_match *match;

  if (ddsrt_avl_is_empty (&writer->readers))
    return writer->seq;
  match = ddsrt_avl_root_non_empty (&ddsi_wr_readers_treedef, &writer->readers);
  return MIN (match->min_seq, writer->seq);
}

RobocacheCycloneSent
robocache_cyclone_read_sent (gint32 writer, const struct ddsi_sertype *type)
{
  const struct ddsi_domaingv *gv = ddsrt_atomic_ldvoidp (&type->gv);
  struct thread_state *thread = lookup_thread_state ();
  RobocacheCycloneSent sent = { 0 };
  struct ddsi_writer *found;
  dds_guid_t public_guid;
  ddsi_guid_t guid;

  if (dds_get_guid (writer, &public_guid) != DDS_RETCODE_OK)
    return sent;
  memcpy (&guid, &public_guid, sizeof (guid));
  guid = nn_ntoh_guid (guid);
  /* keeps the writer alive meanwhile */
  thread_state_awake (thread, gv);
  found = entidx_lookup_writer_guid (gv->entity_index, &guid);
  if (found) {
    struct whc_state kept;

    ddsrt_mutex_lock (&found->e.lock);
    whc_get_state (found->whc, &kept);
    sent.acknowledged = acknowledged_of (found);
    sent.gone = WHCST_ISEMPTY (&kept) ? found->seq : kept.min_seq - 1;
    ddsrt_mutex_unlock (&found->e.lock);
  }
  thread_state_asleep (thread);
  return sent;
}

/* ---- type lookup ---- */

/* Cyclone 0.10 uses whatever types peers answer to anybody, and crashes with those of Fast DDS 3 (ROS 2 Kilted). */
void
robocache_cyclone_refuse_types (gint32 participant, const struct ddsi_sertype *type)
{
  static const guint32 readers[] = { NN_ENTITYID_TL_SVC_BUILTIN_REQUEST_READER, NN_ENTITYID_TL_SVC_BUILTIN_REPLY_READER };
  struct ddsi_domaingv *gv = ddsrt_atomic_ldvoidp (&type->gv);
  struct thread_state *thread = lookup_thread_state ();
  dds_guid_t public_guid;
  ddsi_guid_t guid;

  if (dds_get_guid (participant, &public_guid) != DDS_RETCODE_OK)
    return;
  memcpy (&guid, &public_guid, sizeof (guid));
  guid = nn_ntoh_guid (guid);
  thread_state_awake (thread, gv);
  for (guint i = 0; i < G_N_ELEMENTS (readers); i++) {
    guid.entityid.u = readers[i];
    ddsi_delete_reader (gv, &guid);
  }
  thread_state_asleep (thread);
}

/* ---- announcements ---- */

static const struct ddsi_serdata_ops *announcement_ops; /* of Cyclone, constant */
static struct ddsi_serdata_ops owned_ops;       /* constant once made */

/* Announces an endpoint with its participant: Cyclone leaves it out, and Fast DDS 3 (ROS 2 Kilted) finds the node by it. RTPS 2.3, 9.6.2.2. */
static struct ddsi_serdata *
from_endpoint (const struct ddsi_sertype *type, enum ddsi_serdata_kind kind, const void *sample)
{
  ddsi_plist_t endpoint = *(const ddsi_plist_t *) sample;

  if (kind == SDK_DATA && (endpoint.present & PP_ENDPOINT_GUID)) {
    endpoint.present |= PP_PARTICIPANT_GUID;
    endpoint.participant_guid.prefix = endpoint.endpoint_guid.prefix;
    endpoint.participant_guid.entityid.u = NN_ENTITYID_PARTICIPANT;
  }
  return announcement_ops->from_sample (type, kind, &endpoint);
}

void
robocache_cyclone_announce_owners (const struct ddsi_sertype *type)
{
  static gsize is_made;
  struct ddsi_domaingv *gv = ddsrt_atomic_ldvoidp (&type->gv);

  if (g_once_init_enter (&is_made)) {
    announcement_ops = gv->sedp_writer_type->serdata_ops;
    owned_ops = *announcement_ops;
    owned_ops.from_sample = from_endpoint;
    g_once_init_leave (&is_made, 1);
  }
  gv->sedp_writer_type->serdata_ops = gv->sedp_reader_type->serdata_ops = &owned_ops;
#ifdef DDS_HAS_SECURITY
  gv->sedp_writer_secure_type->serdata_ops = gv->sedp_reader_secure_type->serdata_ops = &owned_ops;
#endif
}

/* ---- sockets ---- */

static gboolean
filter_socket (struct ddsi_tran_conn *connection, const struct sock_fprog *filter, GError **error)
{
  ddsrt_socket_t fd;
  int type = 0;
  socklen_t size = sizeof (type);

  if (!connection)
    return TRUE;
  fd = ddsi_conn_handle (connection);
  if (getsockopt (fd, SOL_SOCKET, SO_TYPE, &type, &size) != 0 || type != SOCK_DGRAM) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY,
        "a transport other than UDP cannot be kept on this host: set discovery=subnet, or leave the transport out of CYCLONEDDS_URI");
    return FALSE;
  }
  if (setsockopt (fd, SOL_SOCKET, SO_ATTACH_FILTER, filter, sizeof (*filter)) != 0) {
    g_set_error (error, ROBOCACHE_ERROR, ROBOCACHE_ERROR_PROPERTY,
        "other hosts cannot be kept out, since the operating system refuses a packet filter (%s): set discovery=subnet to allow them",
        g_strerror (errno));
    return FALSE;
  }
  return TRUE;
}

gboolean
robocache_cyclone_filter (const struct ddsi_sertype *type, const struct sock_fprog *filter, GError **error)
{
  const struct ddsi_domaingv *gv = ddsrt_atomic_ldvoidp (&type->gv);
  struct ddsi_tran_conn *const connections[] = { gv->disc_conn_mc, gv->data_conn_mc, gv->disc_conn_uc, gv->data_conn_uc };
  gboolean is_filtered = TRUE;

  for (guint i = 0; i < G_N_ELEMENTS (connections) && is_filtered; i++)
    is_filtered = filter_socket (connections[i], filter, error);
  for (guint i = 0; i < MAX_XMIT_CONNS && is_filtered; i++)
    is_filtered = filter_socket (gv->xmit_conns[i], filter, error);
  return is_filtered;
}

/* ---- hosts ---- */

typedef struct
{
  const struct ifaddrs *interfaces;     /* of this host */
  gboolean is_far;              /* the process has an address that this host has not */
} Addresses;

static gboolean
has_address (const struct ifaddrs *interfaces, const guint8 *address)
{
  for (const struct ifaddrs *each = interfaces; each; each = each->ifa_next) {
    const struct sockaddr_in *own = (const struct sockaddr_in *) (const void *) each->ifa_addr;

    if (own && own->sin_family == AF_INET && memcmp (&own->sin_addr, address, sizeof (own->sin_addr)) == 0)
      return TRUE;
  }
  return FALSE;
}

/* An address of IPv4 is at the end. */
static void
note_address (const ddsi_xlocator_t *locator, void *data)
{
  const guint8 *address = locator->c.address + sizeof (locator->c.address) - sizeof (struct in_addr);
  Addresses *addresses = data;

  if (locator->c.kind != NN_LOCATOR_KIND_UDPv4 || address[0] >= 224)
    return;
  addresses->is_far |= address[0] != 127 && !has_address (addresses->interfaces, address);
}

/* One foreign address suffices: bridges of containers have the same address on all hosts. */
gboolean
robocache_cyclone_is_remote (const struct ddsi_sertype *type, const guint8 *guid)
{
  const struct ddsi_domaingv *gv = ddsrt_atomic_ldvoidp (&type->gv);
  struct thread_state *thread = lookup_thread_state ();
  struct ifaddrs *interfaces = NULL;
  Addresses addresses = { 0 };
  struct ddsi_proxy_participant *process;
  ddsi_guid_t name;

  memcpy (name.prefix.u, guid, sizeof (name.prefix.u));
  for (guint i = 0; i < G_N_ELEMENTS (name.prefix.u); i++)
    name.prefix.u[i] = GUINT32_FROM_BE (name.prefix.u[i]);
  name.entityid.u = NN_ENTITYID_PARTICIPANT;
  if (getifaddrs (&interfaces) != 0)
    return FALSE;
  addresses.interfaces = interfaces;
  /* a thread that is awake keeps it from being freed */
  thread_state_awake (thread, gv);
  process = entidx_lookup_proxy_participant_guid (gv->entity_index, &name);
  if (process)
    addrset_forall (process->as_default, note_address, &addresses);
  thread_state_asleep (thread);
  freeifaddrs (interfaces);
  return addresses.is_far;
}
