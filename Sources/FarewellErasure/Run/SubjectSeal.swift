// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellKeys
import FarewellPlan
import Foundation

/// Seals and opens the data that a run stores about the subject.
enum SubjectSeal {
    static func sealed(_ subject: SealedSubject, under seal: RunSeal) throws -> [UInt8] {
        let encoder = JSONEncoder()
        if let short = StoredValue.shortForm { encoder.userInfo[short] = true }
        return Array(try seal.seal(try encoder.encode(subject)))
    }

    static func opened(_ record: ErasureRecord, keys: KeyStore) throws -> OpenedErasure {
        guard let wrapped = record.wrappedKey, let sealed = record.sealed else {
            throw FarewellError(
                "seal.unreadable", .ours, "The sealed data of erasure \(record.id.text) is missing."
            )
        }
        let seal = try keys.seal(run: record.id, wrappedKey: Data(wrapped))
        let subject = try JSONDecoder().decode(SealedSubject.self, from: try seal.open(Data(sealed)))
        return OpenedErasure(record: record, subject: subject, seal: seal)
    }
}

extension OpenedErasure {
    /// The same with the subject and its key sealed in the record.
    func sealed() throws -> OpenedErasure {
        var erasure = self
        erasure.record.wrappedKey = Array(try seal.wrappedKey())
        erasure.record.sealed = try SubjectSeal.sealed(subject, under: seal)
        return erasure
    }
}
