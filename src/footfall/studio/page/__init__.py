"""The studio's page: who may open it, what footfall adds to viser's page, and how fast frames are sent to each tab."""
