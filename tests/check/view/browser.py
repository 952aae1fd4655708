# SPDX-License-Identifier: LGPL-2.1-or-later
"""A headless Chromium, by WebDriver (https://www.w3.org/TR/webdriver2/)."""
import base64
import json
import os
import shutil
import signal
import subprocess
import urllib.error
import urllib.request

PROGRAMS = "chromium", "chromedriver"


def missing():
    """The program that this machine lacks, or None."""
    return next((name for name in PROGRAMS if not shutil.which(name)), None)


class Browser:
    def __init__(self, width=1280, height=1500, dark=False):
        self._driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                                        start_new_session=True)
        line = next(line for line in self._driver.stdout if "started successfully on port" in line)
        self._url = f"http://127.0.0.1:{line.split()[-1].rstrip('.')}"
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--window-size={width},{height}"]
        arguments += ["--force-dark-mode", "--blink-settings=preferredColorScheme=0"] if dark else ["--blink-settings=preferredColorScheme=1"]
        options = {"binary": shutil.which("chromium"), "args": arguments}
        capabilities = {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        session = self._call("POST", "/session", {"capabilities": {"alwaysMatch": capabilities}})
        self._url += f"/session/{session['sessionId']}"

    def _call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self._url + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{path}: {error.read().decode()[:400]}") from error

    def open(self, url):
        self._call("POST", "/url", {"url": url})

    def run(self, script, *arguments):
        """The value of the body of a function."""
        return self._call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def command(self, name, **parameters):
        """Of the DevTools protocol."""
        return self._call("POST", "/goog/cdp/execute", {"cmd": name, "params": parameters})

    def log(self):
        """New lines of the console."""
        return self._call("POST", "/se/log", {"type": "browser"})

    def picture(self, path):
        """The whole page as PNG."""
        size = self.run("return [document.documentElement.scrollWidth, document.documentElement.scrollHeight]")
        clip = {"x": 0, "y": 0, "width": size[0], "height": size[1], "scale": 1}
        data = self.command("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)["data"]
        path.write_bytes(base64.b64decode(data))

    def close(self):
        try:
            self._call("DELETE", "")
        finally:
            os.killpg(self._driver.pid, signal.SIGKILL)
            self._driver.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
