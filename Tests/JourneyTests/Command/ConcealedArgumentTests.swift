// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import FarewellCommand

@Suite("Arguments that a message must not repeat")
struct ConcealedArgumentTests {
    @Test(
        "DX-1 the parser's error shows an address only up to its scheme, wherever the address stands",
        arguments: [
            ("postgresql://a:s3cret@h/d", "Unexpected argument 'postgresql://a:s3cret@h/d'", "postgresql://…'"),
            ("--plan=https://a:s3cret@h", "The value 'https://a:s3cret@h' is invalid for '--plan'", "'https://…' is"),
            ("redis://s3cret", "Unexpected argument 'redis://s3cret'", "redis://…"),
            ("host=h password=s3cret", "Unexpected argument 'host=h password=s3cret'", "'…'"),
            ("a:s3cret@h/d", "Unexpected argument 'a:s3cret@h/d'", "'…'"),
        ])
    func parsing(_ argument: String, _ message: String, _ shown: String) {
        let text = ConcealedArguments(["check", argument], isParsing: true).concealed(message)
        #expect(text.contains(shown) && !text.contains("s3cret"), "\(text)")
    }

    @Test("DX-1 other errors show no address with credentials, not even its beginning, and leave other words alone")
    func others() {
        let address = "postgresql://user-of-the-shop:s3cret-and-long@host/database"
        let concealed = ConcealedArguments([address, "https://example.org/a", "4711"], isParsing: false)
        #expect(concealed.concealed("There is no plan at \(address).") == "There is no plan at postgresql://….")
        #expect(concealed.concealed("No \(address.prefix(43))…") == "No postgresql://……")
        let plain = "Write postgresql://user@host/database, https://example.org/a or 4711."
        #expect(concealed.concealed(plain) == plain)
    }
}
