// SPDX-License-Identifier: Apache-2.0

import Farewell

extension ResponseTable {
    private static let stripeErrors = "https://docs.stripe.com/error-low-level"
    private static let stripeCodes = "https://docs.stripe.com/error-codes"

    package static let stripe = ResponseTable(
        "stripe",
        [
            .init(
                [404], code: "resource_missing", saying: "a similar object exists in live mode",
                .refused("it exists in live mode, but the key is for test mode"), "https://docs.stripe.com/keys"),
            .init(
                [404], code: "resource_missing", saying: "a similar object exists in test mode",
                .refused("it exists in test mode, but the key is for live mode"), "https://docs.stripe.com/keys"),
            .init([404], code: "resource_missing", .absent, stripeCodes),
            .init(
                [404], saying: "Unrecognized request URL",
                .misconfigured("its address is not that of Stripe's interface"),
                stripeErrors),
            .init([404], code: "invalid_request_error", .absent, stripeErrors),
            .init([], code: "lock_timeout", .again, "https://docs.stripe.com/rate-limits#object-lock-timeouts"),
            .init([], code: "idempotency_key_in_use", .again, "https://docs.stripe.com/error-low-level#idempotency"),
            // Another request with the same key, or a change of the same object, is under way.
            .init([409], .again, stripeErrors),
            .init([], code: "rate_limit", .later, "https://docs.stripe.com/rate-limits"),
            .init([403], code: "more_permissions_required_for_application", .credentials, stripeCodes),
            .init([], code: "api_key_expired", .credentials, stripeCodes),
            .init([], code: "platform_api_key_expired", .credentials, stripeCodes),
            .init(
                [], code: "account_invalid",
                .misconfigured("the key may not act for the account of the setting `connected`"), stripeCodes),
            .init([], code: "testmode_charges_only", .refused("the account is not activated ({code})"), stripeCodes),
            .init([424], .again, stripeErrors),
            .init([402], .refused("{code}"), stripeErrors), .init([400], .refused("{code}"), stripeErrors),
        ])

    /// `{"error": {"type": "invalid_request_error", "code": "resource_missing", "message": "…"}}`.
    ///
    /// https://docs.stripe.com/error-low-level#idempotency names the header of an answer that was stored.
    static func stripeWords(_ reply: SystemReply) -> ErrorWords {
        let error = (try? reply.json(from: ""))?["error"]
        var told = ErrorWords(
            code: error?["code"]?.string ?? error?["type"]?.string ?? "", message: error?["message"]?.string ?? "")
        told.isRepeated = reply.headers["idempotent-replayed"]?.lowercased() == "true"
        return told
    }
}
