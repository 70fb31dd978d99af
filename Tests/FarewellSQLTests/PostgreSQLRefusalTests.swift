// SPDX-License-Identifier: Apache-2.0
@testable import FarewellSQL
import Farewell
import Testing

@Suite("A connection PostgreSQL refuses")
struct PostgreSQLRefusalTests {
    @Test(
        "BX-4 a temporary error is tried again, an error for a person to fix is marked so, and no server text leaves the process",
        arguments: [
            ("28P01", FarewellError.Family.yoursToFix, "the password was refused"),
            ("3D000", .yoursToFix, "there is no such database"), ("53300", .tryAgain, "too many connections"),
            ("57P03", .tryAgain, "starting up or shutting down"), ("55000", .tryAgain, "accepts no connections"),
            ("XX000", .tryAgain, "its disk may be full"),
        ])
    func families(_ state: String, _ family: FarewellError.Family, _ words: String) {
        let message = "connection to server failed: FATAL:  \(state): could not write \"base/geheim\" for anna@example.org"
        let error = PostgreSQLRefusal(message: message, host: "db").error
        #expect(error.family == family && error.code == .init(rawValue: "sql.\(state)"))
        #expect("\(error)".contains(words) && !"\(error)".contains("geheim") && !"\(error)".contains("anna"))
    }
}
