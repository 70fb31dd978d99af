// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The document of a finished erasure: the erased data, the remaining data with reasons, and the checks.
///
/// It holds nothing personal. `subject` is a keyed hash that only the holder of the key can compute, so a receipt
/// cannot be used to find out whether a person was a user.
public struct Receipt: Sendable, Hashable, Identifiable {
    /// The version of this format; `1` today.
    public var version: Int
    public var id: UUID
    /// A keyed hash (HMAC-SHA-256, 64 hexadecimal digits) of the subject's table and key.
    public var subject: String
    public var requestedAt: Date
    public var finishedAt: Date
    public var issuedAt: Date
    /// The fingerprint of the plan that was used.
    public var planFingerprint: String
    /// The fingerprint of the schema that the plan was used on.
    public var schemaFingerprint: String
    /// The version of Farewell that carried out the erasure.
    public var engineVersion: String
    /// The steps, in the order in which they were done.
    public var steps: [ReceiptStep]
    public var retained: [RetainedPlace]
    public var verification: ReceiptVerification
    /// Copies that may exist for a while and cannot be checked from here, e.g. back-ups.
    public var notVerifiable: [ReceiptNote]
    /// Places outside of the erasure, e.g. another company's systems.
    public var outOfScope: [ReceiptNote]

    /// Times are kept to the millisecond.
    public init(
        version: Int = Receipt.currentVersion, id: UUID, subject: String, requestedAt: Date, finishedAt: Date,
        issuedAt: Date, planFingerprint: String, schemaFingerprint: String, engineVersion: String,
        steps: [ReceiptStep], retained: [RetainedPlace] = [], verification: ReceiptVerification,
        notVerifiable: [ReceiptNote] = [], outOfScope: [ReceiptNote] = []
    ) {
        self.version = version
        self.id = id
        self.subject = subject
        self.requestedAt = UTCTime.rounded(requestedAt)
        self.finishedAt = UTCTime.rounded(finishedAt)
        self.issuedAt = UTCTime.rounded(issuedAt)
        self.planFingerprint = planFingerprint
        self.schemaFingerprint = schemaFingerprint
        self.engineVersion = engineVersion
        self.steps = steps
        self.retained = retained
        self.verification = verification
        self.notVerifiable = notVerifiable
        self.outOfScope = outOfScope
    }

    public static let currentVersion = 1

    /// The totals of all steps.
    public var totals: PlaceCount {
        steps.flatMap(\.places).reduce(into: PlaceCount(place: "total")) { $0.add($1) }
    }

    /// Whether every step ended well and no reading found anything that should be gone.
    public var isComplete: Bool {
        verification.foundNothing && !steps.contains { $0.outcome == .failed }
    }

    /// The bytes that are signed: JSON with its members in order and times in UTC.
    public func canonicalJSON() throws -> Data { try CanonicalJSON.data(self) }

    /// Reads a receipt's JSON. Says nothing about its signature.
    ///
    /// Throws `receipt.malformed`, or `receipt.version` for a format newer than this library.
    public init(json: Data) throws {
        let version = try? CanonicalJSON.value(Version.self, from: json).version
        if let version, version > Self.currentVersion {
            throw FarewellError(
                "receipt.version", .yoursToFix, "The receipt has format \(version), newer than this version reads.",
                remedy: "Use a newer version of Farewell.")
        }
        do {
            self = try CanonicalJSON.value(Receipt.self, from: json)
        } catch {
            throw FarewellError("receipt.malformed", .yoursToFix, "This is not a receipt of Farewell.")
        }
    }

    private struct Version: Decodable { let version: Int }
}

extension Receipt: Codable {
    private enum CodingKeys: String, CodingKey {
        case version, id, subject, requestedAt, finishedAt, issuedAt, planFingerprint, schemaFingerprint
        case engineVersion, steps, retained, verification, notVerifiable, outOfScope
    }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            version: try members.decode(Int.self, forKey: .version),
            id: try members.decodeIdentifier(forKey: .id),
            subject: try members.decode(String.self, forKey: .subject),
            requestedAt: try members.decodeTime(forKey: .requestedAt),
            finishedAt: try members.decodeTime(forKey: .finishedAt),
            issuedAt: try members.decodeTime(forKey: .issuedAt),
            planFingerprint: try members.decode(String.self, forKey: .planFingerprint),
            schemaFingerprint: try members.decode(String.self, forKey: .schemaFingerprint),
            engineVersion: try members.decode(String.self, forKey: .engineVersion),
            steps: try members.decode([ReceiptStep].self, forKey: .steps),
            retained: try members.decode([RetainedPlace].self, forKey: .retained),
            verification: try members.decode(ReceiptVerification.self, forKey: .verification),
            notVerifiable: try members.decode([ReceiptNote].self, forKey: .notVerifiable),
            outOfScope: try members.decode([ReceiptNote].self, forKey: .outOfScope))
    }

    /// In the order of the canonical form, which then need not sort.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(engineVersion, forKey: .engineVersion)
        try members.encode(time: finishedAt, forKey: .finishedAt)
        try members.encode(identifier: id, forKey: .id)
        try members.encode(time: issuedAt, forKey: .issuedAt)
        try members.encode(notVerifiable, forKey: .notVerifiable)
        try members.encode(outOfScope, forKey: .outOfScope)
        try members.encode(planFingerprint, forKey: .planFingerprint)
        try members.encode(time: requestedAt, forKey: .requestedAt)
        try members.encode(retained, forKey: .retained)
        try members.encode(schemaFingerprint, forKey: .schemaFingerprint)
        try members.encode(steps, forKey: .steps)
        try members.encode(subject, forKey: .subject)
        try members.encode(verification, forKey: .verification)
        try members.encode(version, forKey: .version)
    }
}
