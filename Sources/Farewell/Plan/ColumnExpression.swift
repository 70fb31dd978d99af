// SPDX-License-Identifier: Apache-2.0

/// A small, closed language for generalising a value: `year(birth_date)`, `left(postal_code, 2)`,
/// `concat('customer ', customer_id)`.
///
/// It is parsed, never pasted into SQL: columns must exist in the live table, literals are always bound.
public indirect enum ColumnExpression: Sendable, Hashable {
    case column(String)
    case text(String)
    case integer(Int)
    /// A call of one of the functions in `Function`.
    case call(Function, [ColumnExpression])

    /// The available functions; each works the same on both databases.
    public enum Function: String, Sendable, Hashable, CaseIterable {
        /// `left(text, n)`: the first *n* characters.
        case left
        /// `lower(text)`.
        case lower
        /// `upper(text)`.
        case upper
        /// `concat(a, b, …)`: the arguments as text, one after the other; null counts as empty.
        case concat
        /// `year(date)`: the calendar year as an integer.
        case year
        /// `coalesce(a, b, …)`: the first argument that is not null.
        case coalesce
        /// `length(text)`: the number of characters.
        case length
        /// `round(number, n)`: rounded to *n* decimal places; negative *n* rounds to tens, hundreds.
        case round
    }
}
