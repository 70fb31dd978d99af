// SPDX-License-Identifier: Apache-2.0

/// The style sheet and the script of the pages, which work without either.
enum PageFiles {
    static func style(_ settings: PageSettings) -> String {
        """
        :root{color-scheme:light dark;--accent:\(settings.accent);--ground:#fff;--raised:#f4f5f7;--text:#1b1d21;
        --quiet:#565b65;--line:#c9cdd4;--danger:#b3261e;--on:#fff;--warn:#fdecea}
        @media (prefers-color-scheme:dark){:root{--accent:\(settings.darkAccent);--ground:#16181c;--raised:#22252b;
        --text:#eceef2;--quiet:#aab0bb;--line:#454b56;--danger:#ff9389;--on:#16181c;--warn:#3b1f1d}}
        """ + rules
    }

    private static let rules = """
        *{box-sizing:border-box}
        body{margin:0;background:var(--ground);color:var(--text);font:1rem/1.5 system-ui,sans-serif}
        header,main{max-width:40rem;margin:0 auto;padding:1rem}
        header a{display:inline-flex;gap:.6rem;align-items:center;color:inherit;font-weight:600;
        text-decoration:none;min-height:44px}
        main{padding-bottom:4rem}main:focus{outline:none}
        h1{font-size:1.6rem;line-height:1.25;margin:.5rem 0 1rem}h2{font-size:1.15rem;margin:2rem 0 .5rem}
        h1,h2{text-wrap:balance}:root:lang(ja){word-break:auto-phrase}
        a{color:var(--accent)}
        :focus-visible{outline:3px solid var(--accent);outline-offset:2px}
        .skip{position:absolute;inset-inline-start:-999rem;background:var(--ground);padding:.75rem}
        .skip:focus{inset-inline-start:0;z-index:1}
        label{display:block;font-weight:600;margin:1rem 0 .25rem}
        input:not([type=hidden]){display:block;width:100%;min-height:44px;padding:.5rem .75rem;font:inherit;
        color:inherit;background:var(--ground);border:1px solid var(--quiet);border-radius:8px}
        input[readonly]{background:var(--raised)}
        [dir=rtl] input:not([type=hidden]){direction:ltr;text-align:right}
        button,.button{display:inline-block;min-height:44px;padding:.6rem 1.2rem;font:inherit;font-weight:600;
        text-decoration:none;text-align:center;color:var(--on);background:var(--accent);border:1px solid
        var(--accent);border-radius:8px;cursor:pointer}
        form>button{margin-top:1rem}
        button.plain,.button.plain{color:var(--accent);background:transparent}
        button.destructive{background:var(--danger);border-color:var(--danger)}
        button:disabled{opacity:.6;cursor:default}
        .acts{display:flex;flex-wrap:wrap;gap:.75rem;margin-top:1.5rem}.acts>button{margin-top:0}
        .rows{list-style:none;margin:0;padding:0;border:1px solid var(--line);border-radius:12px;
        background:var(--raised)}
        .rows>li{display:flex;flex-wrap:wrap;gap:.5rem 1rem;justify-content:space-between;align-items:center;
        padding:.75rem 1rem}
        .rows>li+li{border-top:1px solid var(--line)}
        .rows>li>div{flex:1 1 14rem;overflow-wrap:anywhere}.rows form button,td form button{margin:0;white-space:nowrap}
        .row{display:flex;gap:.6rem;align-items:center;flex:1 1 100%;min-height:44px;color:inherit;
        text-decoration:none}
        .row.destructive{color:var(--danger)}.row span{flex:1}
        .icon{width:22px;height:22px;fill:none;stroke:currentColor;stroke-width:1.8;stroke-linecap:round;
        stroke-linejoin:round}
        main.wide,header:has(+main.wide){max-width:72rem}
        .brief{width:100%;max-width:0;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
        .scroll{overflow-x:auto;margin-top:1rem}.scroll th,.scroll td{overflow-wrap:normal}#runs{min-width:56rem}
        .plan{display:block;max-width:100%;min-width:44rem;background:#fff;border-radius:8px}
        select{min-height:44px;font:inherit;color:inherit;background:var(--ground);border:1px solid var(--quiet);
        border-radius:8px;padding:.5rem}#filter{align-items:end}
        .sections ul{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;list-style:none;margin:0;padding:0;
        border-bottom:1px solid var(--line)}
        .sections a{display:inline-flex;align-items:center;min-height:44px;text-decoration:none}
        .sections a[aria-current]{color:inherit;font-weight:600;box-shadow:inset 0 -3px var(--accent)}
        .counts{display:flex;flex-wrap:wrap;gap:.5rem 2rem}.counts dt{color:var(--quiet);font-size:.9rem}
        .counts dd{margin:0;font-weight:600}
        .chart{width:100%;font:13px system-ui,sans-serif}.chart text{fill:var(--text)}.chart .time{fill:var(--line)}
        .chart .tick{stroke:var(--line)}.chart .due{stroke:var(--text);stroke-width:3}
        .finished,.kind0{--kind:var(--accent)}.kind1{--kind:var(--danger)}.asked,.kind2{--kind:var(--quiet)}
        .kind3{--kind:#2e9d6b}.kind4{--kind:#b8860b}.kind5{--kind:#8e5bd0}.chart rect{fill:var(--kind)}
        .legend{display:flex;flex-wrap:wrap;gap:.25rem 1rem;list-style:none;margin:.25rem 0 0;padding:0;font-size:.9rem}
        .legend li::before{content:"";display:inline-block;width:.7em;height:.7em;margin-inline-end:.4em;
        background:var(--kind)}
        @media (max-width:40rem){.chart{font-size:17px}}
        .beside{display:flex;flex-wrap:wrap;gap:1rem 2rem;align-items:flex-start}
        .beside>*{flex:1 1 24rem;min-width:0}.beside .scroll{margin:0;max-height:20rem;overflow-y:auto}
        .chart .fine{fill:var(--accent)}.chart .soon,.chart .late{fill:var(--danger)}
        .apart{margin-top:2.5rem}
        .chevron{color:var(--quiet)}[dir=rtl] .chevron{transform:scaleX(-1)}
        .hint{color:var(--quiet);font-size:.9rem}
        .badge{font-size:.8rem;padding:.1rem .5rem;border:1px solid var(--accent);color:var(--accent);
        border-radius:99px;white-space:nowrap}
        .note,.problem,.warning{padding:.75rem 1rem;border-radius:8px;border-inline-start:4px solid var(--accent);
        background:var(--raised);margin:1rem 0 1.5rem}
        .problem,.warning{border-color:var(--danger);background:var(--warn)}
        table{width:100%;border-collapse:collapse}th,td{text-align:start;padding:.5rem;border-bottom:1px solid
        var(--line);vertical-align:top;overflow-wrap:anywhere}
        thead th,.word{overflow-wrap:normal}.word,time{white-space:nowrap}thead th{word-break:keep-all}
        time{unicode-bidi:isolate;direction:ltr}
        tbody th{font-weight:400;min-width:6rem}.number{text-align:end;font-variant-numeric:tabular-nums}
        progress{width:100%;accent-color:var(--accent)}
        code{overflow-wrap:anywhere}.scroll code,.id{overflow-wrap:normal;white-space:nowrap}
        .id{font-size:min(.9rem,3.6vw)}
        dialog{border:1px solid var(--line);border-radius:12px;padding:2rem;background:var(--ground);
        color:var(--text);font-weight:600;text-align:center;max-width:90vw}
        dialog::backdrop{background:rgb(0 0 0/.55)}
        @media (prefers-reduced-motion:no-preference){button,.button{transition:opacity .15s}}

        """

    /// Announces important text to screen readers, prevents a form from being sent twice, reports a missing connection,
    /// shows the overlay while it waits for the answer, and follows a deletion or the console.
    static let script = """
        'use strict';
        (() => {
          const find = id => document.getElementById(id);
          const said = find('problem') || find('holdProblem') || find('note');
          if (said) said.focus();
          const offline = find('offline');
          const tell = () => { offline.hidden = navigator.onLine; };
          addEventListener('online', tell);
          addEventListener('offline', tell);
          document.addEventListener('submit', event => {
            const form = event.target;
            if (!navigator.onLine) { event.preventDefault(); offline.hidden = false; return; }
            if (form.dataset.sent) { event.preventDefault(); return; }
            form.dataset.sent = 'yes';
            const overlay = form.id === 'deleteForm' && find('overlay');
            if (overlay) {
              overlay.addEventListener('cancel', stop => stop.preventDefault());
              overlay.showModal();
            }
          }, true);
          addEventListener('pageshow', event => { if (event.persisted) location.reload(); });
          // A browser reconnects automatically after a lost connection, but not after a refusal, for example by a proxy
          // during a start of the server: then the script requests the page until it can follow again.
          let worry;
          const follow = (events, name, act, seen = '') => {
            const source = new EventSource(events + (seen && (events.includes('?') ? '&' : '?') + 'seen=' + seen));
            const again = () => setTimeout(async () => {
              const answer = await fetch(location.href).catch(() => null);
              if (!answer || !answer.ok) again();
              else if ((await answer.text()).includes(events)) follow(events, name, act, seen);
              else location.reload();
            }, 2000);
            source.addEventListener('open', () => { clearTimeout(worry); worry = undefined; tell(); });
            source.addEventListener(name, event => act(event, source));
            source.addEventListener('error', () => {
              worry ??= setTimeout(() => { offline.hidden = false; }, 4000);
              if (source.readyState === EventSource.CLOSED) again();
            });
          };
          const live = find('live');
          // A focused field or button is not replaced; the page is renewed when it loses the focus. A new page keeps
          // what was typed.
          let isMissed = false;
          const parts = [live, find('urgent')].filter(Boolean);
          const renew = async () => {
            isMissed = parts.some(part => part.querySelector('input:focus,button:focus'));
            if (isMissed) return;
            const answer = await fetch(location.href).catch(() => null);
            if (!answer || !answer.ok) return;
            const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
            for (const part of parts) {
              const next = page.getElementById(part.id);
              if (!next) { location.reload(); return; }
              const typed = [...part.querySelectorAll('input:not([type=hidden])')]
                .filter(field => field.value !== field.defaultValue);
              part.replaceChildren(...next.childNodes);
              for (const field of typed) if (find(field.id)) find(field.id).value = field.value;
            }
          };
          if (live) {
            for (const part of parts)
              part.addEventListener('focusout', () => setTimeout(() => { if (isMissed) renew(); }, 1000));
            follow(live.dataset.events, 'changed', renew, live.dataset.seen);
          }
          const progress = find('progress');
          if (!progress) return;
          const words = progress.dataset;
          const label = name => name === 'rows' ? words.rows : name === 'identity' ? words.identity
            : name.startsWith('files') ? words.files : words.other;
          follow(words.events, 'erasure', (event, source) => {
            const erasure = JSON.parse(event.data);
            if (['done', 'cancelled', 'needs attention', 'grace'].includes(erasure.state)) {
              source.close();
              location.replace('/account/delete/progress');
              return;
            }
            find('steps').replaceChildren(...erasure.steps.map(step => {
              const item = document.createElement('li');
              item.textContent = label(step.name) + ': ' + (step.state === 'done' ? words.done : words.running);
              return item;
            }));
          });
        })();

        """
}
