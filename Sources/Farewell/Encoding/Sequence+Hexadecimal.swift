// SPDX-License-Identifier: Apache-2.0

extension Sequence<UInt8> {
    /// Two lower-case digits a byte.
    package var hexadecimal: String {
        let bytes = Array(self)
        return FixedText.text(2 * bytes.count) { text in
            for byte in bytes { text.hexadecimal(byte) }
        }
    }

    /// The bytes that these characters write, two digits of either case for each; `nil` for any other characters.
    package var hexadecimalBytes: [UInt8]? {
        if let bytes = withContiguousStorageIfAvailable(Self.read) { return bytes }
        return Array(self).withUnsafeBufferPointer(Self.read)
    }

    private static func read(_ digits: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        for place in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[place].hexadecimalValue, let low = digits[place + 1].hexadecimalValue else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return bytes
    }
}
