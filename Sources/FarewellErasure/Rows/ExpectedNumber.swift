// SPDX-License-Identifier: Apache-2.0

/// How many rows a prediction allows: one number, or one of several ranges.
struct ExpectedNumber: Sendable, Hashable {
    /// `nil`: any number.
    private(set) var ranges: [ClosedRange<Int>]?

    static let none = ExpectedNumber(0)
    static let any = ExpectedNumber(ranges: nil)

    private init(ranges: [ClosedRange<Int>]?) { self.ranges = ranges }

    init(_ numbers: Int...) { ranges = Set(numbers).sorted().map { $0...$0 } }

    init(_ range: ClosedRange<Int>) { ranges = [range] }

    func contains(_ number: Int) -> Bool { ranges?.contains { $0.contains(number) } ?? true }

    /// By how much a number exceeds the allowed one; 0 if it does not.
    func excess(of number: Int) -> Int {
        guard let ranges, let most = ranges.map(\.upperBound).max() else { return 0 }
        return max(number - most, 0)
    }

    static func + (one: ExpectedNumber, other: ExpectedNumber) -> ExpectedNumber {
        guard let left = one.ranges, let right = other.ranges else { return .any }
        let sums = left.flatMap { first in
            right.map { (first.lowerBound + $0.lowerBound)...(first.upperBound + $0.upperBound) }
        }
        return ExpectedNumber(ranges: Set(sums).sorted { $0.lowerBound < $1.lowerBound })
    }

    /// `3`, `2 to 5`, `3 or 5`, `none`
    var words: String {
        guard let ranges else { return "any" }
        let parts = ranges.map { range in
            if range == 0...0 { return "none" }
            return range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound) to \(range.upperBound)"
        }
        return parts.joined(separator: " or ")
    }
}
