// SPDX-License-Identifier: Apache-2.0

extension ResponseTable {
    private static let guide =
        "https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md"

    /// A service of the team's own answers with the statuses of HTTP. These are about the address and the message.
    package static let webhook = ResponseTable(
        "webhook",
        [
            .init([404, 405], .misconfigured("its address is not that of the service ({code})"), guide),
            .init([410], .misconfigured("the service is switched off (410)"), guide),
            .init([409], .again, guide),
            .init([400, 413, 422], .refused("it does not take the message ({code})"), guide),
        ])
}
