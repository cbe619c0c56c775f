#!/bin/bash
# Each planted fault is caught within 1,000 seeds; without one they hold.
set -euo pipefail
exec "$1" 1000
