// SPDX-License-Identifier: Apache-2.0

/// A number or a truth value (0 or 1) that follows from which columns are null. It is never null itself.
indirect enum NullExpression: Sendable, Hashable {
    enum Comparison: Sendable, Hashable {
        case equal, unequal, less, lessOrEqual
    }

    case number(Int)
    /// Whether all of these columns are null.
    case areNull([String])
    /// How many of these columns are not null.
    case filled([String])
    case sum(NullExpression, NullExpression)
    case difference(NullExpression, NullExpression)
    case compared(NullExpression, Comparison, NullExpression)
    case negated(NullExpression)
    case allOf([NullExpression])
    case anyOf([NullExpression])
    case choice(NullExpression, then: NullExpression, else: NullExpression)

    /// Whether it is true, if that is certain.
    ///
    /// - Parameter nulls: For each column that is known, whether it is null.
    func truth(_ nulls: [String: Bool]) -> Bool? {
        let values = values(nulls)
        if values == 0...0 { return false }
        return values.contains(0) ? nil : true
    }

    /// The least and the greatest value that it may have.
    private func values(_ nulls: [String: Bool]) -> ClosedRange<Int> {
        switch self {
        case .number(let number): return number...number
        case .areNull(let columns):
            if columns.contains(where: { nulls[$0] == false }) { return 0...0 }
            return columns.allSatisfy { nulls[$0] == true } ? 1...1 : 0...1
        case .filled(let columns):
            return columns.count(where: { nulls[$0] == false })...columns.count(where: { nulls[$0] != true })
        case .sum(let left, let right):
            let (first, second) = (left.values(nulls), right.values(nulls))
            return first.lowerBound + second.lowerBound...first.upperBound + second.upperBound
        case .difference(let left, let right):
            let (first, second) = (left.values(nulls), right.values(nulls))
            return first.lowerBound - second.upperBound...first.upperBound - second.lowerBound
        case .compared(let left, let comparison, let right):
            return Self.range(comparison.holds(left.values(nulls), right.values(nulls)))
        case .negated(let one): return Self.range(one.truth(nulls).map { !$0 })
        case .allOf(let parts):
            let truths = parts.map { $0.truth(nulls) }
            return Self.range(truths.contains(false) ? false : truths.contains(nil) ? nil : true)
        case .anyOf(let parts):
            let truths = parts.map { $0.truth(nulls) }
            return Self.range(truths.contains(true) ? true : truths.contains(nil) ? nil : false)
        case .choice(let condition, let then, let otherwise):
            let (first, second) = (then.values(nulls), otherwise.values(nulls))
            guard let truth = condition.truth(nulls) else {
                return min(first.lowerBound, second.lowerBound)...max(first.upperBound, second.upperBound)
            }
            return truth ? first : second
        }
    }

    private static func range(_ truth: Bool?) -> ClosedRange<Int> { truth.map { $0 ? 1...1 : 0...0 } ?? 0...1 }
}

extension NullExpression.Comparison {
    fileprivate func holds(_ left: ClosedRange<Int>, _ right: ClosedRange<Int>) -> Bool? {
        switch self {
        case .equal:
            if !left.overlaps(right) { return false }
            return left.count == 1 && right.count == 1 ? true : nil
        case .unequal: return Self.equal.holds(left, right).map { !$0 }
        case .less:
            if left.upperBound < right.lowerBound { return true }
            return left.lowerBound >= right.upperBound ? false : nil
        case .lessOrEqual:
            if left.upperBound <= right.lowerBound { return true }
            return left.lowerBound > right.upperBound ? false : nil
        }
    }
}
