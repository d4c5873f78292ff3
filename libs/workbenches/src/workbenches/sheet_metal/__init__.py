"""Sheet metal."""
