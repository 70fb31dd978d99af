// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation
import Testing

/// A receipt for a subject's hash.
func sampleReceipt(subject: String = String(repeating: "ab", count: 32)) throws -> Receipt {
    let start = Date(timeIntervalSince1970: 1_763_723_280)
    return Receipt(
        id: try #require(UUID(uuidString: "6E3B6C3E-53C7-4C4E-9B1D-2F3A5E0B7C11")), subject: subject,
        requestedAt: start, finishedAt: start.addingTimeInterval(0.25), issuedAt: start.addingTimeInterval(0.5),
        planFingerprint: "plan-1", schemaFingerprint: "schema-1", engineVersion: "0.1.0",
        steps: [
            ReceiptStep(
                name: "rows", store: "postgresql", outcome: .erased,
                places: [
                    PlaceCount(place: "public.messages", erased: 12), PlaceCount(place: "public.größe", erased: 1),
                ])
        ],
        retained: [
            RetainedPlace(
                place: "public.invoices", rows: 7, reason: "Tax law", until: CalendarDay(year: 2035, month: 12, day: 31)
            )
        ],
        verification: ReceiptVerification(readBack: .init(places: 12, rowsLeft: 0)),
        notVerifiable: [.backups(expire: nil), .postgreSQLLog, .replicas, .otherNames(of: 1, in: "photos")])
}
