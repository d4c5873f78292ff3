// A local stack opens this page with its token after the #, which no browser sends to a server.
const token = new URLSearchParams(location.hash.slice(1)).get("token");
if (token) {
  history.replaceState(null, "", location.pathname + location.search);
  document.getElementById("token").value = token;
  document.querySelector("form.form").requestSubmit();
}
