// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL

/// The schema is still the one the plan was made for.
struct FingerprintCheck {
    let plan: Plan
    let schema: Schema
    let fingerprint: String?
    let differences: [String]

    func findings() -> [Finding] {
        guard let fingerprint else { return [] }
        guard let planned = plan.schemaFingerprint else {
            return [
                Finding(
                    "schema.unrecorded", .warning, "The plan does not record its schema.",
                    remedy: "Write `schema: \"\(fingerprint)\"` into it, so that check reports later changes.")
            ]
        }
        guard planned != fingerprint else { return [] }
        // Any value but a fingerprint of the first form counts as a changed schema.
        let isEarlier = planned.hasPrefix("sha256:")
        if isEarlier, planned == schema.earlierFingerprint {
            return [
                Finding(
                    "schema.earlier-fingerprint", .warning,
                    "The plan's fingerprint has an earlier form, which leaves out checks, exclusion constraints, "
                        + "column lists of keys and the functions that triggers call. "
                        + "Everything else in the schema is unchanged.",
                    remedy: "Renew it: `farewell check --accept` writes `schema: \"\(fingerprint)\"`.")
            ]
        }
        let shown = differences.prefix(10).map { Shown.line($0.hasSuffix(".") ? $0.dropLast() : $0[...], limit: 200) }
        let more = differences.count > 10 ? " and \(differences.count - 10) more" : ""
        let what = shown.isEmpty ? "." : ": \(shown.joined(separator: "; "))\(more)."
        return [
            Finding(
                "schema.changed", .error,
                "The schema has changed since this plan was written\(what)"
                    + (isEarlier
                        ? " Or its fingerprint, which has an earlier form, was made with another search_path." : ""),
                remedy: "Read the other findings, correct the plan, then run `farewell check --accept`, or write "
                    + "`schema: \"\(fingerprint)\"` into it.")
        ]
    }
}
