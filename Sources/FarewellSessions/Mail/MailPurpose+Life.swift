// SPDX-License-Identifier: Apache-2.0
import Foundation

extension MailPurpose {
    /// Seconds after which there is no use in delivering it.
    var life: TimeInterval { bringsCode ? MailRequest.life : 86_400 }
}
