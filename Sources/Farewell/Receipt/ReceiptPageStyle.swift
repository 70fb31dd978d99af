// SPDX-License-Identifier: Apache-2.0

/// How the readable page looks: by the system's own fonts, in light and dark, and on paper.
package enum ReceiptPageStyle {
    package static let css = """
        :root{color-scheme:light dark;--ink:#1b1f24;--soft:#545b64;--line:#d5d9de;--paper:#fff;\
        --good:#176b3a;--bad:#9b1c1c}
        @media (prefers-color-scheme:dark){:root{--ink:#e8eaed;--soft:#a9b0b8;--line:#3a4048;--paper:#15181c;\
        --good:#7bd69c;--bad:#ff9a94}}
        *{box-sizing:border-box}
        body{margin:0;background:var(--paper);color:var(--ink);font:1rem/1.55 system-ui,sans-serif}
        main{max-width:46rem;margin:0 auto;padding:2.5rem 1.25rem 4rem}
        h1{font-size:1.7rem;line-height:1.2;margin:0 0 .75rem}
        h2{font-size:1.15rem;margin:2.25rem 0 .5rem;border-bottom:1px solid var(--line);padding-bottom:.25rem}
        .done,.open{font-size:1.1rem;font-weight:600;border-left:.3rem solid;padding-left:.75rem}
        .done{color:var(--good)}.open{color:var(--bad)}
        dl div{display:flex;flex-wrap:wrap;gap:0 .75rem}dt{color:var(--soft);min-width:6rem}dd{margin:0}
        table{width:100%;border-collapse:collapse;margin:.75rem 0;font-variant-numeric:tabular-nums}
        caption{text-align:left;color:var(--soft);padding-bottom:.25rem}
        th,td{padding:.35rem .5rem;border-bottom:1px solid var(--line);text-align:right;vertical-align:top}
        th:first-child,.text{text-align:left}tbody th{font-weight:400}tfoot th,tfoot td{font-weight:600}
        th,td,dd,li,code,pre{overflow-wrap:anywhere}
        pre{white-space:pre-wrap;border:1px solid var(--line);padding:.75rem;font-size:.8rem}
        code,pre{font-family:ui-monospace,monospace}
        summary{cursor:pointer}summary:focus-visible{outline:2px solid}
        @media print{main{max-width:none;padding:0}section{break-inside:avoid}.done,.open{color:inherit}}
        """
}
