// SPDX-License-Identifier: Apache-2.0

import FarewellConnectors
import Testing

@Suite("The allowed targets of a call")
struct NetworkAddressTests {
    @Test(
        "the connector calls no private, link-local, group or special address, in any notation",
        arguments: [
            "0.0.0.0", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.100.100.200", "127.0.0.1", "127.255.255.254", "169.254.169.254",
            "169.254.170.2", "172.16.0.1", "172.31.255.255", "192.0.0.192", "192.0.2.1", "192.168.1.1", "198.18.0.1", "198.51.100.1",
            "203.0.113.1", "224.0.0.251", "239.255.255.250", "240.0.0.1", "255.255.255.255", "168.63.129.16", "192.88.99.1",
            "::", "::1", "::ffff:127.0.0.1", "::ffff:169.254.169.254", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe",
            "64:ff9b:1::1", "fe80::1", "fec0::1", "fc00::1", "fd00:ec2::254", "ff02::1", "2001::1", "2001:db8::1", "2002:7f00:1::",
            "100::1",
            "3fff::1", "5f00::1", "4000::1", "::127.0.0.1",
        ])
    func refused(_ text: String) throws { #expect(try !#require(NetworkAddress(text)).isPublic) }

    @Test(
        "the connector calls public addresses, at both ends of every gap",
        arguments: [
            "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0",
            "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "192.0.1.0", "192.167.255.255", "192.169.0.0",
            "198.17.255.255", "198.20.0.0", "223.255.255.255", "2606:4700::1111", "2a00:1450:4001::1", "::ffff:8.8.8.8", "64:ff9b::808:808",
        ])
    func allowed(_ text: String) throws { #expect(try #require(NetworkAddress(text)).isPublic) }

    @Test(
        "an address in another notation is not accepted as an address",
        arguments: [
            "", "localhost", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "127.0.0.1.", "1.2.3", "1.2.3.256", "[::1]", "::g",
            "1.1.1.1%eth0",
        ])
    func none(_ text: String) { #expect(NetworkAddress(text) == nil) }

    @Test("a block contains the addresses with its leading bits, and no others")
    func blocks() throws {
        let block = try #require(NetworkBlock("10.20.0.0/15"))
        func holds(_ text: String) throws -> Bool { block.holds(try #require(NetworkAddress(text))) }
        #expect(try holds("10.20.0.0") && holds("10.21.255.255"))
        #expect(try !holds("10.22.0.0") && !holds("10.19.255.255") && !holds("::ffff:10.20.0.1"))
        #expect(try #require(NetworkBlock("::1")).holds(try #require(NetworkAddress("::1"))))
        #expect(try #require(NetworkBlock("0.0.0.0/0")).holds(try #require(NetworkAddress("8.8.8.8"))))
        for bad in ["10.0.0.0/33", "::/129", "10.0.0.0/-1", "10.0.0.0/8/8", "10.0.0.0/", "ten"] { #expect(NetworkBlock(bad) == nil) }
    }
}
