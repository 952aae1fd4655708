/* robocache: publishes and reads messages of ROS 2 with Fast DDS, of types that fastddsgen made
 *
 *   fastddspeer publish DOMAIN TYPE STAMP   publishes a message with this stamp in ns, until standard input ends
 *   fastddspeer read DOMAIN TYPE            waits for a message, and prints its stamp, frame and values
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <fastdds/dds/domain/DomainParticipant.hpp>
#include <fastdds/dds/domain/DomainParticipantFactory.hpp>
#include <fastdds/dds/publisher/DataWriter.hpp>
#include <fastdds/dds/publisher/Publisher.hpp>
#include <fastdds/dds/subscriber/DataReader.hpp>
#include <fastdds/dds/subscriber/SampleInfo.hpp>
#include <fastdds/dds/subscriber/Subscriber.hpp>
#include <fastdds/dds/topic/Topic.hpp>
#include <fastdds/rtps/transport/UDPv4TransportDescriptor.h>

#include <functional>
#include <iostream>
#include <map>

#include "typesPubSubTypes.h"

using namespace eprosima::fastdds::dds;

namespace {

constexpr int LIMIT_S = 60;

/* The values of a message, in the order of its fields. */
template <typename F> void visit (geometry_msgs::msg::Vector3 &vector, F each)
{
  each (vector.x ());
  each (vector.y ());
  each (vector.z ());
}

template <typename F, typename T> void visit_all (std::vector<T> &values, F each)
{
  if (values.empty ())
    values.resize (2);
  for (T &value : values)
    each (value);
}

template <typename F> void visit (geometry_msgs::msg::WrenchStamped &message, F each)
{
  visit (message.wrench ().force (), each);
  visit (message.wrench ().torque (), each);
}

template <typename F> void visit (sensor_msgs::msg::JointState &message, F each)
{
  message.name ({"a", "b"});
  visit_all (message.position (), each);
  visit_all (message.velocity (), each);
  visit_all (message.effort (), each);
}

template <typename F> void visit (control_msgs::msg::JointJog &message, F each)
{
  message.joint_names ({"a", "b"});
  visit_all (message.displacements (), each);
  visit_all (message.velocities (), each);
  each (message.duration ());
}

template <typename F> void visit (control_msgs::msg::MecanumDriveControllerState &message, F each)
{
  each (message.front_left_wheel_velocity ());
  each (message.back_left_wheel_velocity ());
  each (message.back_right_wheel_velocity ());
  each (message.front_right_wheel_velocity ());
  visit (message.reference_velocity ().linear (), each);
  visit (message.reference_velocity ().angular (), each);
}

template <typename F> void visit (ackermann_msgs::msg::AckermannDriveStamped &message, F each)
{
  each (message.drive ().steering_angle ());
  each (message.drive ().steering_angle_velocity ());
  each (message.drive ().speed ());
  each (message.drive ().acceleration ());
  each (message.drive ().jerk ());
}

/* On the loopback interface alone. */
DomainParticipant *join (uint32_t domain)
{
  auto transport = std::make_shared<eprosima::fastdds::rtps::UDPv4TransportDescriptor> ();
  eprosima::fastrtps::rtps::Locator_t loopback;
  DomainParticipantQos qos;

  transport->interfaceWhiteList = {"127.0.0.1"};
  transport->maxInitialPeersRange = 32;
  eprosima::fastrtps::rtps::IPLocator::setIPv4 (loopback, 127, 0, 0, 1);
  qos.transport ().use_builtin_transports = false;
  qos.transport ().user_transports.push_back (transport);
  qos.wire_protocol ().builtin.initialPeersList.push_back (loopback);
  return DomainParticipantFactory::get_instance ()->create_participant (domain, qos);
}

template <typename Qos> Qos latched ()
{
  Qos qos;

  qos.reliability ().kind = RELIABLE_RELIABILITY_QOS;
  qos.durability ().kind = TRANSIENT_LOCAL_DURABILITY_QOS;
  return qos;
}

/* Values 0.5, 1, 1.5 and so on. */
template <typename M> int publish (DomainParticipant *participant, Topic *topic, int64_t stamp)
{
  auto qos = latched<DataWriterQos> ();
  M message;
  double last = 0;

  qos.endpoint ().history_memory_policy = eprosima::fastrtps::rtps::PREALLOCATED_WITH_REALLOC_MEMORY_MODE;
  message.header ().stamp ().sec (static_cast<int32_t> (stamp / 1000000000));
  message.header ().stamp ().nanosec (static_cast<uint32_t> (stamp % 1000000000));
  message.header ().frame_id ("f");
  visit (message, [&last] (auto &value) { value = static_cast<std::decay_t<decltype (value)>> (last += 0.5); });
  if (!participant->create_publisher (PUBLISHER_QOS_DEFAULT)->create_datawriter (topic, qos)->write (&message))
    return 1;
  while (std::cin.get () != EOF) {
  }
  return 0;
}

template <typename M> int read (DomainParticipant *participant, Topic *topic)
{
  auto qos = latched<DataReaderQos> ();
  M message;
  SampleInfo info;

  qos.endpoint ().history_memory_policy = eprosima::fastrtps::rtps::PREALLOCATED_WITH_REALLOC_MEMORY_MODE;
  DataReader *reader = participant->create_subscriber (SUBSCRIBER_QOS_DEFAULT)->create_datareader (topic, qos);
  if (!reader->wait_for_unread_message ({LIMIT_S, 0}) || reader->take_next_sample (&message, &info) != ReturnCode_t::RETCODE_OK || !info.valid_data)
    return 1;
  std::cout << message.header ().stamp ().sec () << ' ' << message.header ().stamp ().nanosec () << ' ' << message.header ().frame_id ();
  visit (message, [] (auto &value) { std::cout << ' ' << value; });
  std::cout << std::endl;
  return 0;
}

template <typename Support> int run (bool is_publisher, uint32_t domain, int64_t stamp)
{
  using M = typename Support::type;
  DomainParticipant *participant = join (domain);
  TypeSupport type (new Support ());

  type.register_type (participant);
  Topic *topic = participant->create_topic ("rt/ns/x", type.get_type_name (), TOPIC_QOS_DEFAULT);
  return is_publisher ? publish<M> (participant, topic, stamp) : read<M> (participant, topic);
}

const std::map<std::string, std::function<int (bool, uint32_t, int64_t)>> types = {
  {"geometry_msgs/WrenchStamped", run<geometry_msgs::msg::WrenchStampedPubSubType>},
  {"sensor_msgs/JointState", run<sensor_msgs::msg::JointStatePubSubType>},
  {"control_msgs/JointJog", run<control_msgs::msg::JointJogPubSubType>},
  {"control_msgs/MecanumDriveControllerState", run<control_msgs::msg::MecanumDriveControllerStatePubSubType>},
  {"ackermann_msgs/AckermannDriveStamped", run<ackermann_msgs::msg::AckermannDriveStampedPubSubType>},
};

}

int main (int argc, char **argv)
{
  if (argc < 4 || !types.count (argv[3]))
    return 2;
  return types.at (argv[3]) (std::string (argv[1]) == "publish", static_cast<uint32_t> (std::stoul (argv[2])), argc > 4 ? std::stoll (argv[4]) : 0);
}
