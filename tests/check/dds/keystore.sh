#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# keystore.sh FOLDER: makes a keystore as `ros2 security` does, with three enclaves. /robot may use all topics and services of ROS 2, /reader may
# publish ros_discovery_info alone. Both are of one authority, and all of it is encrypted. /stranger is like /robot, but of another authority.
#
# Source of the names of files: ROS 2, "DDS-Security Integration"; of their text: OMG DDS Security 1.1, 9.4; of the names of topics and subjects:
# the templates of the package sros2.
set -euo pipefail
mkdir -p "$1"
cd "$1"

# authority NAME: a key, and a certificate for it
authority () {
  openssl ecparam -name prime256v1 -genkey -noout -out "$1.key.pem"
  openssl req -x509 -new -key "$1.key.pem" -days 3650 -subj "/CN=$1" -out "$1.cert.pem"
}

# signed AUTHORITY FILE < TEXT
signed () {
  openssl smime -sign -text -signer "$1.cert.pem" -inkey "$1.key.pem" -out "$2"
}

rules () {
  cat << 'END'
<?xml version="1.0" encoding="utf-8"?>
<dds><domain_access_rules><domain_rule>
  <domains><id_range><min>0</min><max>230</max></id_range></domains>
  <allow_unauthenticated_participants>false</allow_unauthenticated_participants>
  <enable_join_access_control>true</enable_join_access_control>
  <discovery_protection_kind>ENCRYPT</discovery_protection_kind>
  <liveliness_protection_kind>ENCRYPT</liveliness_protection_kind>
  <rtps_protection_kind>SIGN</rtps_protection_kind>
  <topic_access_rules><topic_rule>
    <topic_expression>*</topic_expression>
    <enable_discovery_protection>true</enable_discovery_protection>
    <enable_liveliness_protection>true</enable_liveliness_protection>
    <enable_read_access_control>true</enable_read_access_control>
    <enable_write_access_control>true</enable_write_access_control>
    <metadata_protection_kind>ENCRYPT</metadata_protection_kind>
    <data_protection_kind>ENCRYPT</data_protection_kind>
  </topic_rule></topic_access_rules>
</domain_rule></domain_access_rules></dds>
END
}

topics () {
  printf '<topic>%s</topic>' "$@"
}

# grants NAME PUBLISHED...: the topics that the enclave may publish
grants () {
  cat << END
<?xml version="1.0" encoding="utf-8"?>
<dds><permissions><grant name="/$1">
  <subject_name>CN=/$1</subject_name>
  <validity><not_before>2020-01-01T00:00:00</not_before><not_after>2090-01-01T00:00:00</not_after></validity>
  <allow_rule>
    <domains><id_range><min>0</min><max>230</max></id_range></domains>
    <publish><topics>$(topics "${@:2}")</topics></publish>
    <subscribe><topics>$(topics ros_discovery_info 'rt/*' 'rq/*Request' 'rr/*Reply')</topics></subscribe>
  </allow_rule>
  <default>DENY</default>
</grant></permissions></dds>
END
}

# enclave AUTHORITY NAME PUBLISHED...
enclave () {
  local folder=enclaves/$2
  mkdir -p "$folder"
  cp "$1.cert.pem" "$folder/identity_ca.cert.pem"
  cp "$1.cert.pem" "$folder/permissions_ca.cert.pem"
  openssl ecparam -name prime256v1 -genkey -noout -out "$folder/key.pem"
  openssl req -new -key "$folder/key.pem" -subj "/CN=\/$2" -out "$folder/request.pem"
  openssl x509 -req -in "$folder/request.pem" -CA "$1.cert.pem" -CAkey "$1.key.pem" -CAcreateserial -days 3650 -out "$folder/cert.pem"
  rules | signed "$1" "$folder/governance.p7s"
  grants "${@:2}" | signed "$1" "$folder/permissions.p7s"
}

authority ours
authority theirs
enclave ours robot ros_discovery_info 'rt/*' 'rq/*Request' 'rr/*Reply'
enclave ours reader ros_discovery_info
enclave theirs stranger ros_discovery_info 'rt/*' 'rq/*Request' 'rr/*Reply'
