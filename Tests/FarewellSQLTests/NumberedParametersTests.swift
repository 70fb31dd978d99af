// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import FarewellSQL

@Suite("Parameters with numbers")
struct NumberedParametersTests {
    @Test("a name without quotes consists of letters, digits, _, $ and signs beyond ASCII")
    func names() {
        for byte in UInt8.min...UInt8.max {
            let isPart = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$".utf8.contains(byte) || byte > 127
            #expect(byte.isPartOfIdentifier == isPart, "\(byte)")
        }
    }

    @Test("a dollar sign and digits are a parameter, and not where they are in a name, a text or a comment")
    func parameters() {
        #expect(NumberedParameters.sqlite("SELECT $1,$12+$2 WHERE a=$3") == "SELECT ?1,?12+?2 WHERE a=?3")
        for text in ["a$1", "a$$1", "_$1", "é$1", "'$1'", "\"$1\"", "[$1]", "`$1`", "-- $1", "/* $1 */", "$a", "$"] {
            #expect(NumberedParameters.sqlite(text) == text)
        }
        #expect(NumberedParameters.sqlite("'a''$1' || $1 -- $1\n || $2") == "'a''$1' || ?1 -- $1\n || ?2")
    }
}
