// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import FarewellServer

@Suite("Limits by address")
struct CallerNetworkTests {
    @Test("the addresses of one IPv6 network are one caller, those of another are another, and IPv4 counts whole")
    func networks() {
        let one = CallerNetwork.name(of: "2001:db8:1:2:3:4:5:6")
        #expect(CallerNetwork.name(of: "2001:db8:1:2::ffff") == one)
        #expect(CallerNetwork.name(of: "2001:db8:1:3:3:4:5:6") != one)
        #expect(CallerNetwork.name(of: "192.0.2.1") == "192.0.2.1")
        #expect(CallerNetwork.name(of: "::ffff:192.0.2.1") != CallerNetwork.name(of: "::ffff:192.0.2.2"))
        #expect(CallerNetwork.name(of: "no:address") == "no:address")
    }
}
