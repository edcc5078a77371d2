"""browser.py -- a page in Debian's chromium, without a window: what the tests of pages share. A page counts as wrong when
its console has a message, when it is wider than the screen, or when words are hard to see."""
import base64
import os

from selenium import webdriver
from selenium.common.exceptions import TimeoutException
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.support.ui import WebDriverWait

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SHOTS = os.path.join(ROOT, "build", "screenshots")
PATIENCE = 120  # seconds that a page may take on a machine with much else to do
FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--force-device-scale-factor=1",
         "--disable-dev-shm-usage", "--disable-background-networking", "--no-first-run")

# What of a page is wider than it is, scrolled parts left out.
WIDE = """
const found = [];
for (const element of document.querySelectorAll("body *")) {
  if (element.closest(".scroll, .fields, .skip, [hidden], script, style, details:not([open]) > :not(summary)")) continue;
  const box = element.getBoundingClientRect();
  if (box.width && (box.right > innerWidth + 1 || box.left < -1)) found.push(`${element.tagName}.${element.getAttribute("class")} ${box.left} ${box.right}`);
}
if (document.documentElement.scrollWidth > innerWidth) found.push(`page ${document.documentElement.scrollWidth}`);
return found.slice(0, 5);
"""

# Words whose contrast to what is behind them is below 4.5 (WCAG AA; 3 for large ones). Tinted marks of a figure that lie
# behind its words count with their opacity.
FAINT = """
const rgba = (text) => { const m = text.match(/[\\d.]+/g).map(Number); return [m[0], m[1], m[2], m.length > 3 ? m[3] : 1]; };
const over = (top, base) => [0, 1, 2].map((i) => top[i] * top[3] + base[i] * (1 - top[3])).concat([1]);
const light = (c) => { const [r, g, b] = c.slice(0, 3).map((v) => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
const contrast = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
const page = rgba(getComputedStyle(document.body).backgroundColor);
const behind = (element) => {
  let base = page, layers = [];
  for (let e = element; e; e = e.parentElement) {
    const c = rgba(getComputedStyle(e).backgroundColor);
    if (c[3] > 0) layers.push(c);
    if (c[3] === 1) break;
  }
  for (const layer of layers.reverse()) base = over(layer, base);
  const figure = element.closest("svg");
  if (figure) {
    const box = element.getBoundingClientRect(), x = box.left + box.width / 2, y = box.top + box.height / 2;
    for (const mark of figure.querySelectorAll("rect")) {
      const b = mark.getBoundingClientRect();
      if (mark.compareDocumentPosition(element) & 4 && x > b.left && x < b.right && y > b.top && y < b.bottom) {
        const s = getComputedStyle(mark), c = rgba(s.fill);
        base = over([c[0], c[1], c[2], Number(s.fillOpacity) * c[3]], base);
      }
    }
  }
  return base;
};
const found = [];
const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walk.nextNode()) {
  const element = walk.currentNode.parentElement, words = walk.currentNode.textContent.trim();
  if (!words || element.closest("script, style, title, desc, .skip, [hidden], option") || !element.getClientRects().length) continue;
  const style = getComputedStyle(element), size = parseFloat(style.fontSize);
  const colour = rgba(element.closest("svg") ? style.fill : style.color);
  const ratio = contrast(over(colour, behind(element)), behind(element));
  const least = size >= 24 || size >= 18.6 && Number(style.fontWeight) >= 700 ? 3 : 4.5;
  if (ratio < least) found.push(`${words.slice(0, 30)}: ${ratio.toFixed(2)}`);
}
return found.slice(0, 5);
"""

# Controls without a name that a screen reader could say.
NAMELESS = """
const named = (e) => (e.getAttribute("aria-label") || e.getAttribute("aria-labelledby") || e.textContent.trim() || e.title ||
  (e.labels && [...e.labels].some((l) => l.textContent.trim())));
return [...document.querySelectorAll("button, input, select, textarea, [role=img], [role=region], canvas, [tabindex]")]
  .filter((e) => !e.closest("[hidden]") && e.type !== "hidden" && !named(e)).map((e) => e.outerHTML.slice(0, 90)).slice(0, 5);
"""


class Browser:
    """One chromium; pages are opened one after the other."""

    def __init__(self, downloads=None):
        options = Options()
        for flag in FLAGS:
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        if downloads:
            options.add_experimental_option("prefs", {"download.default_directory": downloads})
        self.driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
        self.driver.set_script_timeout(PATIENCE)
        self.driver.set_page_load_timeout(PATIENCE)
        os.makedirs(SHOTS, exist_ok=True)

    def open(self, path, width=1280, dark=False, height=900):
        """Opens a file and waits until its script is done; width and scheme as asked for."""
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500})
        self.driver.get("file://" + os.path.abspath(path))
        self.wait(f"{path} does not become ready", "return document.body.dataset.ready === 'yes'")

    def wait(self, words, script, *arguments):
        """Until a script returns something true: that. Otherwise the test fails, with what the page has to say."""
        try:
            return WebDriverWait(self.driver, PATIENCE, 0.05).until(lambda d: d.execute_script(script, *arguments))
        except TimeoutException:
            raise AssertionError(f"after {PATIENCE} seconds: {words}; the console says {self.messages() or 'nothing'}") from None

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def messages(self):
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def shot(self, name):
        """The whole page as build/screenshots/NAME.png."""
        width, height = self.run("return [innerWidth, document.documentElement.scrollHeight]")
        clip = {"x": 0, "y": 0, "width": width, "height": min(height, 12000), "scale": 1}
        png = self.driver.execute_cdp_cmd("Page.captureScreenshot", {"captureBeyondViewport": True, "clip": clip})
        with open(os.path.join(SHOTS, name + ".png"), "wb") as file:
            file.write(base64.b64decode(png["data"]))

    def check_looks(self, test, path, name):
        """Narrow and wide, light and dark: nothing sticks out, all words can be seen, all controls have names."""
        for width in (360, 1280):
            for dark in (False, True):
                case = f"{name}-{width}-{'dark' if dark else 'light'}"
                self.open(path, width, dark)
                self.shot(case)
                test.assertEqual(self.messages(), [], case)
                test.assertEqual(self.run(WIDE), [], case)
                test.assertEqual(self.run(FAINT), [], case)
                test.assertEqual(self.run(NAMELESS), [], case)

    def close(self):
        self.driver.quit()
