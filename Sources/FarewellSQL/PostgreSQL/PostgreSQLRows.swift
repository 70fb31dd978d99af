// SPDX-License-Identifier: Apache-2.0
import CLibPQ

/// Turns a server's answer into an `SQLResult`, on the caller's thread.
enum PostgreSQLRows {
    private enum Reader {
        case scalar(PostgreSQLType)
        case array(of: PostgreSQLType)
    }

    static func read(_ result: ServerResult) -> SQLResult {
        let pointer = result.pointer
        let width = PQnfields(pointer)
        guard width > 0 else { return SQLResult(affected: affected(result)) }
        let columns = (0..<width).map { PQfname(pointer, $0).map { String(cString: $0) } ?? "" }
        let readers = (0..<width).map { reader(PQftype(pointer, $0)) }
        let rows = (0..<PQntuples(pointer)).map { row in
            (0..<width).map { column in
                guard PQgetisnull(pointer, row, column) == 0, let start = PQgetvalue(pointer, row, column) else {
                    return SQLValue.null
                }
                let length = Int(PQgetlength(pointer, row, column))
                return start.withMemoryRebound(to: UInt8.self, capacity: length) {
                    value(UnsafeBufferPointer(start: $0, count: length), readers[Int(column)])
                }
            }
        }
        return SQLResult(columns: columns, rows: rows, affected: affected(result))
    }

    private static func reader(_ oid: Oid) -> Reader {
        if let element = PostgreSQLType.element(ofArray: oid) { return .array(of: element) }
        return .scalar(PostgreSQLType(oid))
    }

    private static func value(_ text: UnsafeBufferPointer<UInt8>, _ reader: Reader) -> SQLValue {
        switch reader {
        case .scalar(let type): PostgreSQLText.decode(text, as: type)
        case .array(let type):
            PostgreSQLArray.decode(text, of: type) ?? .text(String(decoding: text, as: UTF8.self))
        }
    }

    /// `SELECT 5` counts rows too, but changed none.
    private static func affected(_ result: ServerResult) -> Int {
        let tag = result.tag
        let isChange = ["INSERT", "UPDATE", "DELETE", "MERGE"].contains { tag.hasPrefix($0) }
        guard isChange, let count = PQcmdTuples(result.pointer) else { return 0 }
        return Int(String(cString: count)) ?? 0
    }
}
