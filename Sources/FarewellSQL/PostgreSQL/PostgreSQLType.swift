// SPDX-License-Identifier: Apache-2.0
import CLibPQ

/// The built-in types that have a case of their own in `SQLValue`, by their fixed object identifiers
/// (pg_type.dat). Domains arrive as their base type; all others (enums, inet, interval, date and timestamp without
/// zone, arrays of more than one dimension) are text.
enum PostgreSQLType: Sendable {
    case bool, integer, double, numeric, text, paddedText, uuid, timestamp, json, bytes

    init(_ oid: Oid) {
        self =
            switch oid {
            case 16: .bool
            case 20, 21, 23, 26: .integer
            case 700, 701: .double
            case 1700: .numeric
            case 2950: .uuid
            case 1184: .timestamp
            case 114, 3802: .json
            case 17: .bytes
            case 1042: .paddedText
            default: .text
            }
    }

    /// The element type, when the type is a built-in array.
    static func element(ofArray oid: Oid) -> PostgreSQLType? {
        switch oid {
        case 1000: .bool
        case 1005, 1007, 1016, 1028: .integer
        case 1021, 1022: .double
        case 1231: .numeric
        case 2951: .uuid
        case 1185: .timestamp
        case 199, 3807: .json
        case 1001: .bytes
        case 1014: .paddedText
        case 1002, 1003, 1009, 1015, 1115, 1182, 1041, 1187: .text
        default: nil
        }
    }

    /// The type a parameter is sent as; 0 lets the server decide, which is right for text: it may be meant
    /// for a varchar, an enum or a domain.
    static func oid(of value: SQLValue) -> Oid {
        switch value {
        case .null, .text: 0
        case .bool: 16
        case .integer: 20
        case .double: 701
        case .numeric: 1700
        case .uuid: 2950
        case .timestamp: 1184
        case .json: 3802
        case .bytes: 17
        case .array(let elements): arrayOid(of: elements.first { !$0.isNull })
        }
    }

    private static func arrayOid(of element: SQLValue?) -> Oid {
        switch element {
        case nil, .null, .text, .array: 0
        case .bool: 1000
        case .integer: 1016
        case .double: 1022
        case .numeric: 1231
        case .uuid: 2951
        case .timestamp: 1185
        case .json: 3807
        case .bytes: 1001
        }
    }
}
