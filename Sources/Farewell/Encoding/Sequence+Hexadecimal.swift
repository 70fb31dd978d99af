// SPDX-License-Identifier: Apache-2.0

extension Sequence<UInt8> {
    /// Two lower-case digits a byte.
    package var hexadecimal: String {
        let bytes = Array(self)
        return FixedText.text(2 * bytes.count) { text in
            for byte in bytes { text.hexadecimal(byte) }
        }
    }
}
