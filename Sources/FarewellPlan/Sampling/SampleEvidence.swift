// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// Whether values that stand both in a column and among keys show that the column holds such keys.
///
/// A UUID, an address or a long text that is also a key is no coincidence. A word may be, and a small number is one:
/// the rows of every table are counted from one.
enum SampleEvidence {
    /// Fewer different values say nothing: neither for a link, if each of them may be a coincidence, nor against one.
    static let leastValues = 3
    /// As many small numbers are no coincidence if almost all of them are keys.
    static let manyNumbers = 20
    /// Keys are counted if at least this share of the numbers in their range are keys.
    private static let leastDensity = 0.01
    /// The probability below which something does not happen by chance.
    private static let leastSurprise = 0.05
    /// Numbers below it are keys of most tables.
    private static let smallNumbers: UInt64 = 1_000

    /// Whether values that are keys of a column show that they are meant as its keys.
    static func isEnough(_ values: Values) -> Bool {
        values.uuids.contains { !isTrivial($0) } || values.texts.contains(where: isDistinctive)
            || values.texts.count >= leastValues
            || values.integers.count(where: isLarge) >= leastValues || values.integers.count >= manyNumbers
            || values.uuids.count >= manyNumbers
    }

    /// Whether numbers of which none is a key may all be former keys: they are in the range of counted keys, where so
    /// few rows are left that it is no surprise to meet none of them.
    static func mayBeGone(_ numbers: Set<Int64>, of keys: ClosedRange<Int64>, rows: Int64) -> Bool {
        let density = Double(rows) / (Double(keys.upperBound) - Double(keys.lowerBound) + 1)
        let within = numbers.count(where: { keys.contains($0) })
        guard density > leastDensity, numbers.count - within < leastValues else { return false }
        return pow(1 - min(density, 1), Double(within)) > leastSurprise
    }

    /// Different values, by what they may be keys of.
    struct Values {
        var uuids: Set<String> = []
        var integers: Set<Int64> = []
        var texts: Set<String> = []

        var count: Int { uuids.count + integers.count + texts.count }
    }

    /// Whether a UUID is one that people write, not one that a program made: `00000000-0000-0000-0000-000000000001`.
    ///
    /// - Parameter uuid: In lower case.
    static func isTrivial(_ uuid: String) -> Bool {
        Set(uuid.utf8.dropLast(12).filter { $0 != UInt8(ascii: "-") }).count < 2
    }

    /// An address names one subject; a name or a word may fit anyone.
    static func isDistinctive(_ text: String) -> Bool {
        text.utf8.contains(UInt8(ascii: "@")) || text.utf8.count >= SampledValues.longText
    }

    /// Whether a number is no small one, as those that count the rows of most tables.
    static func isLarge(_ number: Int64) -> Bool { number.magnitude >= smallNumbers }
}
